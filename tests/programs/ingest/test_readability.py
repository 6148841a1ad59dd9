"""Readable texts of many languages, and the ways in which readers of PDF make gibberish of them."""

import itertools
import random
from pathlib import Path

import pytest

from programs.ingest.document import DocumentBuilder
from programs.ingest.readability import doubts, judge, judge_document

ENGLISH = """In the first trial we measured how the strains of budding yeast lived through a long and cold winter.
The cells were kept at four degrees in a medium that was changed once in a week, and their number was counted on
each of the days. There was no difference between the groups at the start of the study. After ten weeks most of
the cells in the control group had died, while more than half of those in the treated group were still able to
divide. This effect was seen in all of the strains, and it was not due to the medium. We also found that the
treatment did not change the size of the cells. These results are in line with those of other studies, in which
the growth of yeast was reduced by the same compound. It is not known whether the effect can be seen in human
cells, and there are at least two reasons to doubt that it would be. The first is that the dose used in this
study was higher than the dose that has been given to patients, and the second is that the temperature at which
the cells were kept is not one that human cells are able to survive for more than a day."""

LANGUAGES = {
    "de": """Die Zellen wurden bei vier Grad in einem Medium gehalten, das einmal in der Woche gewechselt wurde, und
ihre Zahl wurde an jedem Tag bestimmt. Zu Beginn der Untersuchung gab es zwischen den Gruppen keinen
Unterschied. Nach zehn Wochen waren die meisten Zellen der Kontrollgruppe abgestorben, während mehr als die
Hälfte der behandelten Zellen sich noch teilen konnte. Diese Wirkung war bei allen Stämmen zu sehen und hing
nicht vom Nährmedium ab.""",
    "es": """Las células se mantuvieron a cuatro grados en un medio que se cambiaba una vez por semana, y su número
se contó todos los días. Al comienzo del estudio no había diferencias entre los grupos. Después de diez semanas
la mayoría de las células del grupo de control había muerto, mientras que más de la mitad de las tratadas
todavía podía dividirse. Este efecto se observó en todas las cepas y no dependía del medio.""",
    "fr": """Les cellules ont été conservées à quatre degrés dans un milieu qui était changé une fois par semaine, et
leur nombre a été compté chaque jour. Au début de l'étude il n'y avait pas de différence entre les groupes.
Après dix semaines la plupart des cellules du groupe témoin étaient mortes, alors que plus de la moitié des
cellules traitées pouvaient encore se diviser. Cet effet a été observé dans toutes les souches.""",
    "tr": """Hücreler haftada bir kez değiştirilen bir ortamda dört derecede tutuldu ve sayıları her gün sayıldı.
Çalışmanın başında gruplar arasında fark yoktu. On hafta sonra kontrol grubundaki hücrelerin çoğu ölmüştü, ancak
tedavi edilen hücrelerin yarısından fazlası hala bölünebiliyordu. Bu etki tüm suşlarda görüldü ve ortama bağlı
değildi. Bu sonuçlar daha önce yapılan diğer çalışmalar ile uyumludur ve daha fazla araştırma için bir temel
olarak kullanılabilir.""",
    "ru": """Клетки содержали при четырёх градусах в среде, которую меняли раз в неделю, и их число считали каждый
день. В начале исследования между группами не было различий. Через десять недель большинство клеток контрольной
группы погибло, но более половины обработанных клеток всё ещё могли делиться. Этот эффект был виден у всех
штаммов, и он не зависел от среды. Эти результаты согласуются с тем, что было показано в других работах, где
рост дрожжей был снижен тем же веществом.""",
    "ar": """تم حفظ الخلايا عند أربع درجات في وسط كان يتم تغييره مرة في الأسبوع وتم عد الخلايا في كل يوم من أيام
الدراسة. لم يكن هناك فرق بين المجموعات في بداية هذه الدراسة. بعد عشرة أسابيع ماتت معظم الخلايا في المجموعة
الضابطة بينما كان أكثر من نصف الخلايا التي تمت معالجتها لا يزال قادرا على الانقسام. وقد ظهر هذا الأثر في جميع
السلالات ولم يكن ذلك بسبب الوسط الذي تم استخدامه في هذه التجربة على أن هذه النتائج تتفق مع ما وجد في دراسات
أخرى.""",
    "zh": """细胞在四度的培养基中保存，培养基每周更换一次，每天对细胞的数量进行计数。在研究开始时，各组之间没有差
异。十周后，对照组的大部分细胞已经死亡，而处理组中一半以上的细胞仍然可以分裂。这种作用在所有菌株中都
可以看到，并且与培养基无关。这些结果与其他研究的结果是一致的。""",
    "ja": """細胞は週に一度交換される培地で四度に保たれ、その数は毎日数えられた。研究の開始時には群の間に差はなか
った。十週間後、対照群の細胞のほとんどは死んでいたが、処理された細胞の半分以上はまだ分裂することがで
きた。この効果はすべての株で見られ、培地によるものではなかった。""",
}
KOREAN = """세포는 일주일에 한 번 교체되는 배지에서 사도로 유지되었으며 그 수는 매일 계산되었다. 연구를 시작할 때 군
사이에 차이는 없었다. 십 주 후에 대조군의 세포 대부분은 죽었지만 처리된 세포의 절반 이상은 여전히 분열할 수
있었다. 이 효과는 모든 균주에서 관찰되었으며 배지에 의한 것은 아니었다. 이러한 결과는 다른 연구의 결과와
일치하며 사람의 세포에서도 같은 효과가 나타나는지는 아직 알려져 있지 않다. 따라서 더 많은 연구가 필요하며 이
물질의 용량과 온도에 따른 차이를 확인하는 실험이 앞으로 이루어져야 할 것으로 보인다. 그 밖의 요인은 고려되지
않았다."""
WELSH = """Cadwyd y celloedd ar bedair gradd mewn cyfrwng a newidiwyd unwaith yr wythnos, a chyfrifwyd eu nifer bob
dydd. Nid oedd gwahaniaeth rhwng y grwpiau ar ddechrau'r astudiaeth. Ar ôl deg wythnos roedd y rhan fwyaf o'r
celloedd wedi marw, tra bod mwy na hanner y celloedd a gafodd driniaeth yn dal i allu rhannu. Gwelwyd yr effaith
hon ym mhob straen, ac nid y cyfrwng oedd yn gyfrifol amdani o gwbl."""


def torn(text):
    return "".join(f"{letter} " if number % 2 and letter.isalpha() else letter for number, letter in enumerate(text))


def lines_mixed(text):
    lines = text.splitlines()
    pairs = (
        itertools.zip_longest(one.split(), other.split(), fillvalue="") for one, other in itertools.pairwise(lines)
    )
    return "\n".join(" ".join(word for pair in each for word in pair) for each in pairs)


def shifted(text):
    return "".join(chr(ord(letter) - 29) if letter.isascii() and letter.isalpha() else letter for letter in text)


def private(text):
    return "".join(chr(0xE000 + ord(letter)) if letter.isalpha() else letter for letter in text)


@pytest.mark.parametrize(("language", "text"), [("en", ENGLISH), *LANGUAGES.items()])
def test_languages_are_readable(language, text):
    judged = judge(text)
    assert (judged.verdict, judged.language) == ("readable", language), judged


def test_other_languages_and_chance_are_judged_by_what_can_be_known():
    chance = random.Random(11)
    assert judge(ENGLISH).reasons == ()
    assert judge(KOREAN).verdict == "readable", "its words are not counted"
    assert judge(WELSH).verdict == "doubtful"
    assert judge("".join(chr(chance.randrange(0x4E00, 0x9FFF)) for _ in range(300))).verdict != "readable"


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (torn, "letters that are apart"),
        (lines_mixed, "lines are mixed"),
        (shifted, "its language is not recognised"),
        (private, "private or control characters"),
        (lambda text: text.replace(" ", ""), "run together"),
    ],
)
def test_gibberish_is_unreadable_for_its_own_reason(spoil, reason):
    judged = judge(spoil(ENGLISH))
    assert judged.verdict == "unreadable"
    assert any(reason in each for each in judged.reasons), judged


@pytest.mark.parametrize("language", ["de", "es", "fr", "tr", "ru"])
def test_torn_letters_are_seen_in_every_language_with_spaces(language):
    assert judge(torn(LANGUAGES[language])).verdict == "unreadable"


@pytest.mark.parametrize(
    "text",
    [
        *("", "A note.", "Table: 1 2 3 4", "E. coli K-12 x y z", "ATGC " * 50),
        f"{ENGLISH} Let x = a b + c d for n i in N (p < 0.05). S. cerevisiae, E. coli. \uf0b7 one",
    ],
)
def test_little_text_formulas_and_names_are_no_reason(text):
    assert judge(text).verdict == "readable"


def test_references_and_tables_of_a_paper_are_not_judged():
    builder = DocumentBuilder()
    builder.add_section("Results")
    builder.add_paragraph(ENGLISH)
    builder.add_paragraph("| " + torn(ENGLISH).replace("\n", " ") + " |")
    builder.add_section("References")
    builder.add_paragraph(lines_mixed(ENGLISH))
    assert judge_document(builder.build(id="paper")).verdict == "readable"


def test_a_paper_without_sections_is_judged_whole():
    builder = DocumentBuilder()
    builder.add_paragraph(torn(ENGLISH))
    assert judge_document(builder.build(id="paper")).verdict == "unreadable"


def test_a_short_paper_is_not_refused_for_a_few_unusual_neighbours():
    papers = [*Path("datasets/space_biology/papers").glob("*.md")]
    assert papers
    assert {judge(path.read_text(encoding="utf-8")).verdict for path in papers} == {"readable"}


ON_COMPUTING = {
    "compilers": """The compiler reads the code line by line, and the code is then lowered. With and without the
cache the code of the kernel is the same. In each pass the code has one more label, or the code is left as it was.
To code that is dead the compiler adds no label. A kernel of the code is run with and without the cache.""",
    "graphs": """The graph is split in two, and the graph of each part is split again. In the graph the node of a
query is the first one, and in the other graph it is the last. Each graph has an edge to the next graph. To graph
nodes we add an edge, so that the graph is closed, and the other graph is not.
For the same graph we give the node as it is.""",
}


@pytest.mark.parametrize("subject", ON_COMPUTING)
def test_one_turn_of_phrase_that_a_subject_repeats_is_no_disorder(subject):
    assert judge("\n".join([ON_COMPUTING[subject]] * 8)).verdict == "readable"


def test_lines_that_are_mixed_in_a_half_of_a_paper_are_seen():
    assert judge("\n".join([ENGLISH, *ON_COMPUTING.values(), lines_mixed(ENGLISH)])).verdict == "unreadable"


def test_a_paper_with_next_to_nothing_in_it_is_a_warning():
    def said(text):
        builder = DocumentBuilder()
        builder.add_section("Results")
        builder.add_paragraph(text)
        return doubts(builder.build(id="paper"))

    assert "only 3 words" in said("[Skip to Navigation]")[0]
    assert "only 4 words" in said("Enable cookies to continue")[0]
    assert said(ENGLISH) == ()


@pytest.mark.parametrize(
    "body", ['!"#$%&()*+,-./:;<=>?@[]^_{|}~ ' * 30, "+=− ⟨⟩ ()[] {}·× " * 40, "������ �� ��� " * 60]
)
def test_a_body_of_signs_is_unreadable(body):
    judged = judge(f"Zinc and wound closure in hens\n{body}")
    assert judged.verdict == "unreadable"
    assert "signs" in " ".join(judged.reasons)


def test_tables_and_formulas_are_no_body_of_signs():
    assert judge("12.4 (3.1–8.0), p < 0.001; x = 3; " * 40).signs < 0.5
