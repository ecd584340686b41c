"""Results for people and machines: terminal, Markdown, HTML, CSV."""
