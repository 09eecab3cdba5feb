"""Which colours a screenshot has where, and how much stands out from the ground."""

import base64

BLUE, VERMILLION, GREEN, PURPLE, SKY = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9"
BROWN, WINE = "#8c564b", "#882255"

READ = """async png => {
  const bytes = Uint8Array.from(atob(png), c => c.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), context = canvas.getContext('2d');
  context.drawImage(bitmap, 0, 0);
  return context.getImageData(0, 0, bitmap.width, bitmap.height);
}"""

# Counts the pixels of an element that are near each colour, and those that are far from the ground, the pixel in its corner.
SEE = """(element, {root, image, colours, slack}) => {
  const own = element.getBoundingClientRect(), all = root.getBoundingClientRect(), {data, width, height} = image;
  const left = Math.ceil(own.left - all.left), right = Math.min(width, Math.floor(own.right - all.left));
  const top = Math.ceil(own.top - all.top), bottom = Math.min(height, Math.floor(own.bottom - all.top));
  const far = (i, rgb) => Math.max(...rgb.map((v, c) => Math.abs(data[i + c] - v)));
  const wanted = colours.map(c => [1, 3, 5].map(i => parseInt(c.slice(i, i + 2), 16)));
  const corner = 4 * (top * width + left), ground = [...data.slice(corner, corner + 3)];
  const counts = wanted.map(() => 0);
  let ink = 0;
  for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) {
    const i = 4 * (y * width + x);
    if (far(i, ground) > 60) ink++;
    wanted.forEach((rgb, k) => { if (far(i, rgb) <= slack) counts[k]++ });
  }
  return {ink, counts};
}"""


def lighter(colour):
    """A line's colour on dark paper, as epoch_chart.js has it."""
    return "#" + "".join(f"{round(int(colour[i : i + 2], 16) * 0.7 + 255 * 0.3):02x}" for i in (1, 3, 5))


class Screen:
    """A screenshot of an element."""

    def __init__(self, root):
        self.root = root.element_handle()
        self.image = root.page.evaluate_handle(READ, base64.b64encode(root.screenshot()).decode())

    def see(self, locator, *colours, slack=40):
        return locator.evaluate(SEE, {"root": self.root, "image": self.image, "colours": colours, "slack": slack})

    def assert_filled(self, locator, *colours, least=50, slack=40):
        """There are so many pixels of each colour."""
        for colour, count in zip(colours, self.see(locator, *colours, slack=slack)["counts"], strict=True):
            assert count >= least, f"{count} pixels are {colour}, not {least}"

    def assert_written(self, locator, least):
        """So many pixels stand out from the ground, as letters do."""
        ink = self.see(locator)["ink"]
        assert ink >= least, f"{ink} pixels stand out, not {least}"
