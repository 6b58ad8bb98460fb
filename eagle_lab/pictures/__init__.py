"""The wing of pictures: pure functions from numbers to a figure, its PNG and its words, without widgets.

Nothing outside this wing and the panels needs matplotlib. What a reader hands in is checked at the doors, the names
in `eagle_lab.__all__` and `candidate_graph`; the rooms behind them trust each other.
"""
