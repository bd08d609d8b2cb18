"""Scientific text: what is special in it, and how it is said aloud. Pure, and light to import."""
