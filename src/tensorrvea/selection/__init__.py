"""Who survives: the steps that algorithms choose by."""
