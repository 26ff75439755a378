"""Tags to spans: schemes, notations, repair, detection, and the decoder.

    evidence = Evidence()
    for batch in batches:                      # only where the scheme is not named
        evidence = evidence + Evidence.of(batch)
    decision = decide(evidence)                # or named("iob2", evidence.tags())
    decode = Decoder(decision, "begin")
    spans = [decode(batch) for batch in batches]

Other tools' ways to read tags are a `Rule` each: `Decoder.of_rule(rule)`.
"""

from isogloss.tagging.decision import AUTO, Decision, decide, decided, named, scheme_of
from isogloss.tagging.decoder import Decoder
from isogloss.tagging.evidence import Evidence
from isogloss.tagging.notation import UNTYPED, Notation
from isogloss.tagging.rules import Repair, Rule, rule_of
from isogloss.tagging.schemes import SCHEMES, Scheme

__all__ = [
    "AUTO",
    "SCHEMES",
    "UNTYPED",
    "Decision",
    "Decoder",
    "Evidence",
    "Notation",
    "Repair",
    "Rule",
    "Scheme",
    "decide",
    "decided",
    "named",
    "rule_of",
    "scheme_of",
]
