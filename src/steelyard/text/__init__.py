"""Pure functions of text: normal forms, tokens, overlap measures. No files, no registry."""
