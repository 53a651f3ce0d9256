"""Words: languages, analysis, stemming, stop words."""
