"""Parse, call the room, print, exit."""
