"""An English sentence beside its translation, and beside evidence in another language."""

import pytest

from programs.proof.translation import disagreement, is_across, objections, reads_as_english

FELL = "Relapses fell by 12.4% (p < 0.001) in 40 patients on IL-6 blockers."
DENIED = "Aspirin did not reduce mortality over 1,500 days in Parkinson's disease (95% CI 0.90 to 1.20; 12 mg/kg)."
WEAKER = "Healed wounds were weaker than those of controls at day 28."
MICE = "Twelve of 40 mice lost 40 to 60% of bone mass over 2 years."


@pytest.mark.parametrize(
    ("english", "translation"),
    [
        (FELL, "Las recaídas bajaron un 12,4 % (p < 0,001) en 40 pacientes con bloqueadores de IL-6."),
        (FELL, "Les rechutes ont diminué de 12,4 % (p < 0,001) chez 40 patients sous bloqueurs de l'IL-6."),
        (FELL, "Die Rückfälle sanken um 12,4 % (p < 0,001) bei 40 Patienten mit IL-6-Blockern."),
        (FELL, "在40名使用IL-6阻滞剂的患者中，复发率下降了12.4%（P＜0.001）。"),
        (FELL, "在40名使用IL-6阻滞剂的患者中，复发率下降了百分之12.4（P<0.001）。"),
        (DENIED, "La aspirina no redujo la mortalidad en 1.500 días en el Parkinson (IC del 95 %: 0,90 a 1,20; "
         "12 mg/kg)."),
        (DENIED, "L’aspirine n’a pas réduit la mortalité sur 1 500 jours dans la maladie de Parkinson (IC à 95 % : "
         "0,90 à 1,20 ; 12 mg/kg)."),
        (DENIED, "Aspirin senkte die Sterblichkeit über 1.500 Tage bei Parkinson nicht (95%-KI 0,90 bis 1,20; "
         "12 mg/kg)."),
        (DENIED, "阿司匹林在1500天内未降低帕金森病的死亡率（95%置信区间0.90至1.20；12毫克/公斤）。"),
        (DENIED, "アスピリンはパーキンソン病の死亡率を1500日間で減少させなかった（95%信頼区間0.90～1.20、12 mg/kg）。"),
        (MICE, "12 de 40 ratones perdieron del 40 al 60 % de la masa ósea en 2 años."),
        (MICE, "Douze des 40 souris ont perdu 40–60 % de la masse osseuse en 2 ans."),
        ("Adverse events were unchanged.", "Los efectos adversos no cambiaron en los grupos."),
        ("Adverse events fell.", "不良事件减少。"),
        ("DNA of HIV was found in 3 samples.", "Se encontró ADN del VIH en 3 muestras."),
        ("It did not fall.", "Nó đã giảm."),  # of a language that is not known denials are not compared
    ],
)  # fmt: skip
def test_a_right_translation_agrees(english, translation):
    assert disagreement(english, translation) == ""


@pytest.mark.parametrize(
    ("english", "translation", "said"),
    [
        (FELL, "Las recaídas bajaron un 14,2 % (p < 0,001) en 40 pacientes con bloqueadores de IL-6.", "14,2"),
        (FELL, "Les rechutes ont diminué de 12,4 % (p > 0,001) chez 40 patients sous bloqueurs de l'IL-6.",
         "“> 0,001”"),
        (FELL, "Die Rückfälle sanken um 12,4 (p < 0,001) bei 40 Patienten mit IL-6-Blockern.", "no unit"),
        (FELL, "在40名使用IL-8阻滞剂的患者中，复发率下降了12.4%（P<0.001）。", "8"),
        (FELL, "Die Rückfälle sanken um 12,4 % (p < 0,001) bei 40 Patienten mit TNF-6-Blockern.", "TNF"),
        (FELL, "复发率没有下降12.4%（P<0.001），40名患者使用IL-6阻滞剂。", "it denies"),
        (FELL, FELL, "still in English"),
        (FELL, "Relapses of the 40 patients with IL-6 blockers were 12.4% (p < 0.001).", "still in English"),
        (FELL, " … ", "empty"),
        (DENIED, "La aspirina redujo la mortalidad en 1.500 días en el Parkinson (IC del 95 %: 0,90 a 1,20; 12 mg/kg).",
         "denies"),
        (DENIED, "L’aspirine a réduit la mortalité sur 1 500 jours dans la maladie de Parkinson (IC à 95 % : 0,90 à "
         "1,20 ; 12 mg/kg).", "denies"),
        (DENIED, "Aspirin senkte die Sterblichkeit über 1.500 Tage bei Alzheimer nicht (95%-KI 0,90 bis 1,20; 12 mg).",
         "Parkinson is missing"),
        (DENIED, "阿司匹林在1500天内降低了帕金森病的死亡率（95%置信区间0.90至1.20；12毫克/公斤）。", "denies"),
        (DENIED, "阿司匹林在1500天内未降低帕金森病的死亡率（95%置信区间0.90至1.20；12克/公斤）。", "“12 g”"),
        (MICE, "12 de 40 ratones perdieron del 40 al 60 % de la masa ósea en 2 meses.", "2 year"),
        (MICE, "13 de 40 ratones perdieron del 40 al 60 % de la masa ósea en 2 años.", "13"),
        ("The dose was 1.5 g.", "La dosis era de 1.500 g.", "1.500"),
        ("It rose in mice.", "Aumentó en los ratones de Marsella.", "Marsella"),
        ("Were healed wounds weaker?", "Las heridas eran más débiles.", "a question"),
        (WEAKER, "Healed wounds proved stronger on day 28.", "in English"),
        (WEAKER, "Las heridas no eran m\u00e1s d\u00e9biles el d\u00eda 28\u30fb.", "it denies something"),
        (WEAKER, "H\u0435aled w\u043eunds w\u0435re strong\u0435r on day 28.", "two scripts"),
        (WEAKER, "\u00bfEran las heridas m\u00e1s d\u00e9biles el d\u00eda 28?", "a question"),
        (WEAKER, "Las heridas eran m\u00e1s d\u00e9biles el d\u00eda 28. " * 120, "too long"),
    ],
)  # fmt: skip
def test_what_certainly_differs_is_named(english, translation, said):
    assert said in disagreement(english, translation)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Femur density fell by 12 % in flight mice.", True),
        ("Group | Baseline | Week | Change | Femur | Tibia", True),
        ("La densidad del fémur de los ratones bajó un 12 % en el vuelo.", False),
        ("飞行小鼠的股骨密度下降了12%。", False),
        ("N348I mutations reduce resistance to nevirapine.", True),
        ("Individuals with ASD show a reduced interest in social stimuli (Pelphrey et al., Chen et al.).", True),
        ("Chen et al.", True),
    ],
)
def test_what_reads_as_english(text, expected):
    assert reads_as_english(text) is expected


SPANISH = "La densidad del fémur de los ratones bajó un 12,4 % con IL-6, y la masa no cambió en 40 días."
CHINESE = "在40天内，使用IL-6的小鼠股骨密度下降了12.4%。"


@pytest.mark.parametrize(
    ("sentence", "quotes", "rules"),
    [
        ("Femur density fell by 12.4% with IL-6.", [SPANISH], []),
        ("Femur density fell by 12.4% over 40 days.", [SPANISH, CHINESE], []),
        ("Femur density fell by 12.4% over 40 days.", [CHINESE], []),
        ("Femur density fell by 14.2% over 40 days.", [CHINESE], ["numbers"]),
        ("Femur density fell by 12.4% over 40 years.", [SPANISH], ["numbers"]),
        ("Femur density fell by 12.4% with TNF.", [SPANISH], ["name"]),
        ("Femur density did not fall by 12.4%.", [CHINESE], ["negation"]),
        ("Femur density fell by 12.4%.", ["La densidad del fémur no bajó un 12,4 % en los ratones."], ["negation"]),
    ],
)
def test_evidence_in_another_language_is_guarded_by_numbers_names_and_denials(sentence, quotes, rules):
    assert is_across(sentence, quotes)
    assert [each.rule for each in objections(sentence, quotes)] == rules


def test_a_copy_in_its_own_language_is_no_translation():
    assert not is_across(SPANISH, [SPANISH])
    assert not is_across("Femur density fell.", ["Femur density fell by 12 % in flight mice."])
