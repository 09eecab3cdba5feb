package scene

import "slices"

// night is the paper of a dark picture: that of JupyterLab's dark theme.
const night RGB = 0x111111

// darkened is a colour for dark paper: greys change places, lines become lighter as those of the live views do. The colours of a heat map
// stay, since they are read from a scale.
func (c RGB) darkened() RGB {
	switch c {
	case Paper:
		return night
	case Ink:
		return 0xeeeeee
	case Soft:
		return 0xb4b4b4
	case Pale:
		return 0x707070
	case Faint:
		return 0x303030
	case Grey:
		return 0x9a9a9a
	}
	if slices.Contains(categories(), c) {
		return Blend(c, Paper, 0.3)
	}
	return c
}

// Dark is the scene for dark paper.
func (s *Scene) Dark() *Scene {
	dark := &Scene{Width: s.Width, Height: s.Height, dark: true}
	for _, m := range s.Marks {
		switch m := m.(type) {
		case Rect:
			m.Colour = m.Colour.darkened()
			dark.Add(m)
		case Stroke:
			m.Colour = m.Colour.darkened()
			dark.Add(m)
		case Dot:
			if m.Colour != Paper { // on a cell, whatever the paper
				m.Colour = m.Colour.darkened()
			}
			dark.Add(m)
		case Label:
			m.Colour = m.Colour.darkened()
			dark.Add(m)
		default:
			dark.Add(m)
		}
	}
	return dark
}

// paper is what the scene is drawn on.
func (s *Scene) paper() RGB {
	if s.dark {
		return night
	}
	return Paper
}
