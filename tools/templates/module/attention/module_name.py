"""Fill in: the one idea of this module, in a sentence."""
