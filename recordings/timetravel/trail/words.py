"""
Informative words: what is left of a text without the words that every text has.

Where words are not separated by spaces, pairs of characters stand for them, or triples where the script is an alphabet.
"""

from __future__ import annotations

import re
from typing import Final

from recordings.timetravel.trail.scripts import UNSPACED

#: Words that say nothing, folded: English, German, French, Spanish, Italian, Portuguese, Dutch, Vietnamese, Arabic.
_STOP_WORDS: Final = """
    a about after all also am an and any are as at be because been before but by can could did do does done for from had
    has have he her here him his how i if in into is it its just may me more most my no not now of on only or other our
    out over please shall she should so some such than that the their them then there these they this those to too under
    up us very was we were what when where which who will with would you your
    aber alle als am an auch auf aus bei bin bis das dass dem den der des die dies diese dieser doch ein eine einem
    einen einer er es fur hat haben ich ihr ihre im in ist ja kann kein keine mein mit nach nicht noch nur oder sein
    sich sie sind so uber um und uns unter vom von vor war was wenn wie wir wird zu zum zur
    au aux avec ce ces cette dans de des du elle en est et il ils je la le les leur mais ne nous on ou par pas pour que
    qui sa se ses son sont sur un une vous
    al como con cuando del el ella en es esta este fue ha las lo los mas muy o para pero por se ser si sin sobre su
    sus y
    che ci con da dal dei del della di e ed gli ha i il la lei non per piu sono su una
    ao as com da das do dos ele em foi mais mas na nao nas no nos os ou para pela pelo por que seu sua um uma
    aan bij dat de deze die dit een en er het hij ik is je maar met naar niet nog of om onze ook op te uit van voor was
    we wel wij worden zal ze zich zijn
    cac cho co cua da dang duoc khi khong la mot nay nhu nhung o roi se tai thi trong tu va ve voi
    ان او الى التي الذي انا انت هذا هذه ذلك تلك على عن في قد كان كل لا لم ما مع من هل هو هي و يا
"""
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())
#: Han and what is written with it; hiragana alone is mostly grammar.
_PAIRED: Final = "\u3005\u3007\u30a0-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD: Final = re.compile(rf"[{UNSPACED}]+|[^\W_{UNSPACED}]+")
_HIRAGANA: Final = "\u3040-\u309f"
_ONLY_HIRAGANA: Final = re.compile(f"[{_HIRAGANA}]+")
#: Where a script changes a word ends, but for its ending in hiragana.
_SAME_SCRIPT: Final = re.compile(
    rf"[{_HIRAGANA}]+|[\u30a0-\u30ff\u31f0-\u31ff]+|[^{_HIRAGANA}\u30a0-\u30ff\u31f0-\u31ff]+"
)
_UNSPACED_CHARACTER: Final = re.compile(f"[{UNSPACED}]")
_KANA_OR_HAN: Final = re.compile(f"[{_PAIRED}{_HIRAGANA}]")


def words_of(text: str) -> list[str]:
    """Return the words of *text*, which is folded, in order; n-grams of runs in scripts without spaces."""
    words: list[str] = []
    for run in _WORD.findall(text):
        if _UNSPACED_CHARACTER.match(run):
            for part in _SAME_SCRIPT.findall(run):
                words += _grams(part)
        else:
            words.append(run)
    return words


def informative_words(text: str) -> list[str]:
    """Return each informative word of *text*, which is folded, once, in order."""
    return list(dict.fromkeys(word for word in words_of(text) if is_informative(word)))


def is_informative(word: str) -> bool:
    """Whether *word* is longer than one character and not one that every text has."""
    return len(word) > 1 and word not in STOP_WORDS and not _ONLY_HIRAGANA.fullmatch(word)


def is_gram(word: str) -> bool:
    """Whether *word* is of a script without spaces, so that it needs no bounds."""
    return not word.isascii() and _UNSPACED_CHARACTER.match(word) is not None


def _grams(run: str) -> list[str]:
    size = 2 if _KANA_OR_HAN.match(run) else 3
    return [run[at : at + size] for at in range(max(1, len(run) - size + 1))]
