"""A paper that tries to run in the reader's browser, and whose text holds what JavaScript counts as two characters."""

from programs.ingest.document import Document

ATTACK = "<script>window.pwned=1</script><img src=x onerror='window.pwned=1'>"
GLOW = "Luminous flux of the 𝜆-lantern snail rose by 41 % in orbit."
HOSTILE = Document(
    id="PMC9990001",
    title=ATTACK,
    year=2020,
    doi='10.5555/"><script>window.pwned=1</script>',
    url="javascript:window.pwned=1",
    text=f"We 🐌 flew lantern snails (𝛽 = 2) {ATTACK}. {GLOW} Controls 🐌 did not glow.",
    metadata={"organism": ["Mus musculus"], "mission_env": ["ISS"]},
)
