"""The wing of pictures: pure functions from numbers to a figure, its PNG and its words, without widgets.

Nothing outside this wing and the panels needs matplotlib.
"""
