"""One module per screen: fetch through `access`, check with a form, call one action, render."""
