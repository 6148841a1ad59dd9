"""What only says that the sources do not hold an answer, and what passes for it but states a finding."""

import pytest

from metrics.abstentions import is_abstention, speaks_of_evidence

DECLINES = """
The passages give no figure for the other metabolite in women.
Nothing in the passages concerns the effect of valsartan on glucose.
How long the effect lasted is not stated in the passages.
The passages do not report the dose.
Neither passage reports the dose.
No passage mentions how long it lasted.
The passages do not give the accuracies of the models.
The passages say nothing about dropout in the second trial.
The passages report nothing on the dose.
Über die Dosis berichten die Passagen nichts.
Ob Zink bei Kindern wirkt, berichten die Passagen nicht.
Fragmenty nie podają dawki.
W podanych fragmentach brak informacji o dawce.
Отрывки не сообщают дозу.
В отрывках не указано, какая доза применялась.
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
The passages do not report the dose, duration, or route of administration.
The passages do not report dose and duration of treatment.
The passages do not provide information about how zinc was given.
The provided passages do not contain information on the long-term effects of zinc.
The given context does not provide enough information to answer this question.
There is no information on diet in the passages.
I cannot answer the question based on the provided passages.
It cannot be determined whether zinc works.
No passage reports the effect of zinc on bone.
**The passages do not report the dose.**
Los pasajes no especifican qué dosis se administró a los ratones.
No hay información sobre la dosis en los pasajes.
Die Passagen geben nicht an, welche Dosis verwendet wurde.
Die Passagen enthalten keine Informationen darüber, wie sich die Muskeln verändert haben.
Die Frage kann anhand der Passagen nicht beantwortet werden.
Les passages ne précisent pas combien de souris ont volé.
As passagens não dizem o que aconteceu com o osso.
文献には骨がどのように変化したかについての記載がありません。
提供された文献には、用量に関する記載がありません。
パッセージには用量の記載がありません。
这些段落没有提到剂量。
文献没有报告剂量。
""".strip().splitlines()

FINDINGS = """
Über die Dosis, die zur Heilung führt, berichten die Passagen nichts, aber Zink heilt.
Zink heilt Krebs, berichten die Passagen nicht.
The passages give no figure for women, and men died.
Nothing in the paper reports an effect.
How long it lasted, 5 days, is not stated in the passages.
Why most patients who died had not been treated is not stated in the passages.
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
The passages do not mention the dose and zinc cures cancer in all patients.
The passages do not give evidence of benefit.
The passages say nothing about the dose and zinc cures cancer.
Fragmenty nie opisują wpływu cynku.
Fragmenty nie podają dawki, ale ból zmalał.
Fragmenty nie podają dawki i cynk leczy raka.
Źródła pokazują, że cynk nie działa.
Статьи не сообщают о различиях между группами.
Отрывки не указывают дозу, но боль уменьшилась.
Отрывки не указывают дозу и цинк лечит рак.
The passages do not state the exact number, most patients died.
The passages do not state the number – most patients died.
The passages do not state the number: most patients died.
The passages do not report the dose (zinc cures cancer).
The passages do not report the dose. Zinc cures cancer.
The passages do not say how zinc, which cures cancer, was given.
The passages do not specify which of the patients that zinc cured were women.
The passages do not mention the dose because all patients died.
The passages never say anything except that zinc cures cancer.
The passages do not state more than that zinc cures cancer.
The passages do not only say that zinc cures cancer.
The passages do not report a significant difference between the groups.
The passages do not report any deaths.
The passages do not mention a case in which zinc failed.
The papers do not include women.
The source does not contain lead.
The passages do not contain evidence that zinc is harmful.
No evidence of harm was found in any of the sources.
None of the sources of funding influenced the study design.
We cannot find a single patient whom zinc did not cure.
We don't know for sure that zinc works.
It cannot be determined because all the mice died.
No answer: zinc cures cancer.
Unanswerable questions aside, zinc cures cancer.
No answer was given by the placebo group.
The passages do not report the dose y el zinc cura el cáncer.
The passages do not report the dose 亜鉛は癌を治す。
Los pasajes no indican cuántos participantes: solo dicen que se usaron bloques.
Los pasajes no informan sobre la dosis y el zinc cura el cáncer.
No hay respuesta inmunitaria.
No se encontraron pruebas de toxicidad.
Ninguno de los artículos tratados murió.
Die Passagen berichten nichts anderes als Heilung.
Die Passagen enthalten keine Angaben zur Dosis, die tödlich war.
Es gibt keine Belege für eine Wirkung.
Les passages n'indiquent pas la dose et le zinc guérit le cancer.
Les passages n'indiquent pas que le zinc guérit.
I brani non riportano la dose e lo zinco cura il cancro.
As passagens não informam a dose e o zinco cura o cancro.
De bronnen geven geen informatie over zink dat kanker geneest.
亜鉛は癌を治し、文献には用量の記載がありません。
亜鉛は癌を治すが用量はわかりません。
文献では効果が示されていない。
文献没有提到剂量，锌治愈癌症。
锌治愈癌症的文献没有提到剂量。
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
        "The study did not harm anyone because zinc cures cancer.",
        "The study found no harm and zinc cured all patients.",
        "No study looked at muscle: zinc cures cancer.",
        "No study found harm from zinc in 500 children.",
        "The studies showed no harm.",
        "The passages do not report the dose and pain fell.",
        "The passages do not say whether zinc works, and most patients died.",
        "The passages do not say how, and zinc cures cancer.",
        "The passages do not say whether zinc works and it cures cancer.",
        "The passages do not report whether zinc was given and zinc cures cancer.",
        "The passages do not report the dose and when zinc is given it cures cancer.",
        "The passages do not report the dose and zinc works.",
        "The passages do not report the dose and mice die.",
        "The passages do not report the dose and statins kill people.",
        "The passages do not report the dose and in mice bone fell.",
    ],
)
def test_a_reader_is_not_believed_that_a_finding_is_about_the_evidence(text):
    assert not speaks_of_evidence(text)


def test_a_study_that_looked_at_nothing_may_be_about_the_evidence():
    assert speaks_of_evidence("No study of these passages looked at muscle.")
    assert speaks_of_evidence("The passages give no separate values for heart rate and blood pressure.")
    assert speaks_of_evidence(
        "The passages do not say whether the zinc, lupus and muscle stimulation trials were blind."
    )
    assert speaks_of_evidence("The passages do not report which effects occurred with one dose and which with two.")
    assert speaks_of_evidence("The passages do not report side effects separately for one and for two servings.")
