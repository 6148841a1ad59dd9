"""A finished run as a page for people, made from the run's folder alone: no model is asked, no data set is opened."""
