"""Selection of survivors: the steps that algorithms are made of."""
