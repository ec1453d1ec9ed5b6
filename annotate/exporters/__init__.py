"""Tables and projects to files."""
