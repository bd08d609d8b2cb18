"""How far two sources of labels agree, and how far a judge can be trusted.

`labels` is what everything here works on; `sources` reads it from files and episodes. `measures` are
functions of a joint table, `compare` puts them together for two sources, `raters` for many; `judges` tests
two judges against a truth, `position` whether a judge prefers a place, `probes` what a fusion rests on,
`systems` whether a judge ranks systems as people do.
"""
