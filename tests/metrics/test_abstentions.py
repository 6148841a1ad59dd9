"""What only says that the sources do not hold an answer, and what passes for it but states a finding."""

import pytest

from metrics.abstentions import is_abstention, speaks_of_evidence

DECLINES = """
The passages do not report the dose.
Neither passage reports the dose.
No passage mentions how long it lasted.
The passages do not give the accuracies of the models.
The passages say nothing about dropout in the second trial.
Los pasajes no informan sobre la dosis.
Ninguno de los pasajes menciona la dosis.
Las fuentes proporcionadas no permiten responder a la pregunta.
Die Passagen berichten nicht, ob Magnesium die Schmerzen senkt.
Die Passagen enthalten keine Angaben zur Dosis.
In den Texten wird die Dosis nicht genannt.
Keine der Passagen nennt die Dosis.
Les passages n'indiquent pas si le magnésium réduit la douleur.
Les passages fournis ne permettent pas de répondre à la question.
Les extraits ne contiennent aucune information sur la dose.
Aucun des passages ne rapporte la densité osseuse.
I brani non riportano la dose.
I passaggi forniti non indicano quale dose sia stata usata.
Nessuno dei brani riporta la dose.
As passagens não informam a dose.
Os trechos não mencionam a dose.
Nenhuma das fontes menciona a dose.
De passages vermelden de dosis niet.
De bronnen geven geen informatie over de dosis.
Fragmenty nie podają dawki.
W podanych fragmentach brak informacji o dawce.
Отрывки не сообщают дозу.
В отрывках не указано, какая доза применялась.
パッセージには用量の記載がありません。
这些段落没有提到剂量。
文献没有报告剂量。
""".strip().splitlines()

FINDINGS = """
The passages report no effect of zinc.
The passages do not report the dose, and pain fell by 12%.
No papers died.
Los textos no muestran efecto del zinc.
Las fuentes no encontraron diferencias.
Los pasajes no informan de efectos en 12 pacientes.
Los pasajes no informan la dosis, mientras el dolor bajó.
Die Quellen zeigen, dass Zink nicht wirkt.
Die Passagen berichten, dass Zink nicht wirkt.
Die Passagen zeigen keine Wirkung von Zink.
Die Texte belegen, dass keine Ratte starb.
Les passages ne montrent pas d'effet du zinc.
Les passages n'indiquent pas de différence entre les groupes.
Les études n'ont pas trouvé d'effet du zinc.
Les passages n'indiquent pas la dose, mais la douleur baissa.
I brani riportano che lo zinco non funziona.
I brani non riportano la dose, ma il dolore diminuì.
I brani non riportano differenze tra i gruppi.
As fontes mostram que o zinco não funciona.
As passagens não relatam efeitos do zinco.
De bronnen tonen dat zink niet werkt.
De bronnen vermelden geen verschil.
Fragmenty nie opisują wpływu cynku.
Fragmenty nie podają dawki, ale ból zmalał.
Źródła pokazują, że cynk nie działa.
Статьи не сообщают о различиях между группами.
Отрывки не указывают дозу, но боль уменьшилась.
文献によると亜鉛には効果がありません。
这些段落报告锌没有效果。
文献没有报告剂量，但疼痛减轻了。
""".strip().splitlines()


@pytest.mark.parametrize("text", DECLINES)
def test_what_the_sources_do_not_say_is_an_abstention_in_each_language(text):
    assert is_abstention(text)
    assert speaks_of_evidence(text)


@pytest.mark.parametrize("text", FINDINGS)
def test_a_finding_is_none_whatever_it_denies(text):
    assert not is_abstention(text)


@pytest.mark.parametrize(
    "text",
    [
        "No study lost more than 12 % of bone.",
        "Les études n'ont pas perdu plus de 12 % des patients.",
        "The authors found no effect (p = 0.4).",
    ],
)
def test_a_reader_is_not_believed_that_a_measured_finding_is_about_the_evidence(text):
    assert not speaks_of_evidence(text)


@pytest.mark.parametrize(
    "text",
    [
        "No study of these passages looked at muscle.",
        "Какая доза применялась, в отрывках не указано.",
        "Nie wiadomo z tych fragmentów, jaka była dawka.",
    ],
)
def test_what_was_not_looked_at_may_be_about_the_evidence(text):
    assert speaks_of_evidence(text)
