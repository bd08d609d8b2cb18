"""What can be typed behind `viva`: options and help; the work is done in the modules beside this folder."""
