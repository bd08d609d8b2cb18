"""People listen to replies and label them: what is asked, in which order, blind, and how far they agree."""
