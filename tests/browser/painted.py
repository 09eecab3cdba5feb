"""What can be seen in a screenshot: which colours stand where, how much there is on the ground, and whether it is like another picture."""

import base64

BLUE, VERMILLION, GREEN, PURPLE, SKY = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9"
BROWN, WINE = "#8c564b", "#882255"

# viridis, in steps.
VIRIDIS = ["#440154", "#472575", "#414487", "#39568c", "#31688e", "#2a788e", "#23888e", "#1f988b", "#22a884", "#35b779", "#54c568", "#7ad151", "#a5db36", "#d2e21b", "#fde725"]

READ = """
  const read = async png => {
    const bytes = Uint8Array.from(atob(png), c => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  };
"""

# For each colour: how many pixels of an element are near it, and between which edges. And how many are near any, and how many stand out
# from the ground, the pixel in the element's corner.
SEE = """(element, {root, image, colours, slack}) => {
  const [own, all] = [element.getBoundingClientRect(), root.getBoundingClientRect()], {data, width} = image;
  const [left, top] = [Math.ceil(own.left - all.left), Math.ceil(own.top - all.top)];
  const [right, bottom] = [Math.min(width, Math.floor(own.right - all.left)), Math.min(image.height, Math.floor(own.bottom - all.top))];
  const wanted = colours.map(c => [1, 3, 5].map(i => parseInt(c.slice(i, i + 2), 16)));
  const seen = wanted.map(() => ({count: 0, left: right, right: left - 1}));
  const far = (i, c, j) => Math.max(Math.abs(data[i] - c[j]), Math.abs(data[i + 1] - c[j + 1]), Math.abs(data[i + 2] - c[j + 2]));
  let ink = 0, coloured = 0;
  for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) {
    const i = 4 * (y * width + x);
    if (far(i, data, 4 * (top * width + left)) > 60) ink++;
    if (wanted.some(c => far(i, c, 0) <= slack)) coloured++;
    wanted.forEach((c, k) => {
      if (far(i, c, 0) > slack) return;
      seen[k].count++;
      [seen[k].left, seen[k].right] = [Math.min(seen[k].left, x), Math.max(seen[k].right, x)];
    });
  }
  return {width: right - left, ink, coloured, seen};
}"""


def lighter(colour):
    """A line's colour on dark paper, as epoch_chart.js has it."""
    return "#" + "".join(f"{round(int(colour[i : i + 2], 16) * 0.7 + 255 * 0.3):02x}" for i in (1, 3, 5))


class Screen:
    """What is on the screen where an element is, at one moment."""

    def __init__(self, root):
        self.root = root.element_handle()
        self.image = root.page.evaluate_handle("async png => {" + READ + "return await read(png) }", base64.b64encode(root.screenshot()).decode())

    def see(self, locator, *colours, slack=40):
        """What is to be seen of an element in it."""
        return locator.evaluate(SEE, {"root": self.root, "image": self.image, "colours": colours, "slack": slack})

    def assert_lines(self, locator, *colours, across=0.5):
        """A line of each colour goes through so much of the element's width."""
        found = self.see(locator, *colours)
        for colour, line in zip(colours, found["seen"], strict=True):
            wide = line["right"] - line["left"]
            assert wide >= across * found["width"] and line["count"] >= 0.4 * wide, f"a line of {colour} is {wide} of {found['width']} pixels wide and has {line['count']}"

    def assert_filled(self, locator, *colours, least=50):
        """There is at least so much of each colour."""
        for colour, area in zip(colours, self.see(locator, *colours)["seen"], strict=True):
            assert area["count"] >= least, f"{area['count']} pixels are {colour}, not {least}"

    def assert_written(self, locator, least):
        """So many pixels stand out from the ground, as letters do."""
        ink = self.see(locator)["ink"]
        assert ink >= least, f"{ink} pixels stand out, not {least}"
