"""Word lists of the offline rules, in lower case.

Small on purpose: they decide doubtful cases, they are no dictionary.
"""

from __future__ import annotations

import unicodedata


def fold(word: str) -> str:
    """Return `word` in lower case without diacritics, the form in which names are compared."""
    decomposed = unicodedata.normalize("NFKD", word.replace("ł", "l").replace("Ł", "L").replace("ß", "ss"))
    return "".join(char for char in decomposed if not unicodedata.combining(char)).casefold()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MONTHS = {
    name: number
    for number, names in enumerate(
        """january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|
        october oct|november nov|december dec""".split("|"),
        start=1,
    )
    for name in names.split()
}

CALENDAR = frozenset(MONTHS) | _words(
    """monday tuesday wednesday thursday friday saturday sunday christmas easter ramadan lent spring summer autumn
    winter ad bc ce bce ah"""
)

PRONOUNS = {"he": "m", "him": "m", "his": "m", "himself": "m", "she": "f", "her": "f", "hers": "f", "herself": "f"}
NOMINATIVE = frozenset({"he", "she"})
POSSESSIVE = frozenset({"his", "her"})

DETERMINERS = _words("""the a an this that these those his her its their our my your each every some any no both all""")
BE = _words("was is were are be been being became becomes remained")
CONJUNCTIONS = _words("""and or but nor yet so while when where because although though if unless as than whether""")
RELATIVES = _words("who whom whose which that where what")
PREPOSITIONS = _words(
    """about above across after against along amid among around at before behind below beneath beside besides between
    beyond by despite down during except for from in inside into like near of off on onto opposite out outside
    over past per since through throughout till to toward towards under until up upon via with within without"""
)
BARRIERS = (
    BE
    | CONJUNCTIONS
    | RELATIVES
    | PREPOSITIONS
    | _words("""he she it they we i you has had have did does do would could should may might must can will not""")
)

# Capitalised at the start of a sentence without being a name.
OPENERS = (
    BARRIERS
    | DETERMINERS
    | PREPOSITIONS
    | CALENDAR
    | _words(
        """according accordingly actually additionally again ago ah alas albeit almost alone already also alternatively
    altogether always another anyone anything apart apparently approximately aside away back basically being
    besides better beautiful briefly broadly certain certainly chapter come consequently contemporary contrary
    curiouser currently dear despite details due early earlier eight eighth either elsewhere enough especially
    essentially even ever everybody everyone everything everywhere evidence exactly experts external farther fewer
    few fifth fifty finally first five formerly fortunately forty four fourth from full further furthermore
    general generally get given go good gradually great half hardly having hence her here hers him himself
    historians how however hundred hundreds i'd i'll i'm i've idiot immediately indeed initially instead
    interestingly it's its itself just last late later latter less let likewise little long main many maybe me
    meanwhile mere merely modern more moreover most mostly much mutual near nearby nearly neither never
    nevertheless new next nine no nobody none nonetheless nor not note nothing notably now nowadays numerous
    obviously oh old once one ones only opponents original originally other others otherwise ought ours over
    overall part partially particular particularly people perhaps please poor possibly presumably previously prior
    probably quickly quite rather really recent recently regarding regardless scholars second see seven seventh
    several shall shortly similar similarly simply sixth six slowly small somebody somehow someone something
    sometimes somewhat somewhere soon sources specifically still strictly subsequently such suddenly sure surely
    take ten that's theirs them themselves then thence there thereafter therefore they third thirty thirteen
    thousand thousands three through thus time today together tomorrow tonight too top towards twenty twice two
    twelve typically ultimately unfortunately unlike us usually various very was well whatever whenever wherever
    whereas wherein whichever whoever whole whom why widely wow yes yesterday young yours yourself"""
    )
)

# Capitalised often, never an entity of its own.
COMMON_CAPITALISED = _words(
    """agriculture chemistry physics medicine mathematics science sciences literature philosophy theology mystery
    academy army bible book chapter church city college company council court duke earth emperor empire empress
    english figure god government heaven hall house i institute king kingdom lady latin lord ma'am madam majesty
    miss mister moon mr mrs ms museum north northern south southern east eastern west western northeast northwest
    southeast southwest ocean o oh page palace parliament part pope president prince princess esq professor queen
    republic sea section see senate sir society state states street sun table university volume vol war world"""
)

HONORIFICS = _words(
    """mr mrs ms miss mister dr doctor prof professor sir dame lady lord king queen prince princess emperor empress
    tsar tsarina czar sultan caliph shah khan duke duchess grand-duke archduke count countess baron baroness
    marquis marquess earl viscount pope bishop archbishop cardinal father brother sister mother saint st rabbi
    imam sheikh president chancellor senator governor judge justice captain colonel general major lieutenant
    sergeant admiral commander marshal inspector master mistress madame monsieur herr frau fraulein don dona donna
    aunt uncle cousin grandmother grandfather granny nurse constable reverend rev hon col gen capt lt sgt"""
)
# Left out of a name that is whole without them.
DETACHABLE = HONORIFICS - _words("""mr mrs ms miss aunt uncle saint st madame monsieur frau herr lady don dona donna""")
ABBREVIATED = _words("mr mrs ms dr prof st rev gen col capt lt sgt hon jr sr mt ft")
FEMALE_TITLES = _words(
    """mrs ms miss dame lady queen princess empress tsarina duchess countess baroness sister mother mistress madame
    frau aunt grandmother granny nurse dona donna"""
)
MALE_TITLES = _words(
    """mr mister sir lord king prince emperor tsar czar sultan caliph shah duke archduke count baron marquis marquess
    earl viscount pope bishop archbishop cardinal father brother monsieur herr don uncle grandfather"""
)

PARTICLES = _words(
    """de del della di da do dos das du des la le las los von vom van der den zu zur ten ter ibn bin bint abu al el y
    af av"""
)
PERSON_PARTICLES = _words("von van ibn bin bint zu")

ORGANIZATION_HEADS = _words(
    """academy agency army association bank board brigade brotherhood bureau church clinic club college commission
    committee company conservatory consortium convent corporation corps council court department faculty
    federation firm foundation fund gazette group guild gymnasium hospital inc institut institute institution
    journal laboratory league legion library ltd ministry monastery museum navy newspaper observatory office
    orchestra order organisation organization parliament party police press school seminary senate service
    singakademie society sorbonne studio team tribunal trust union universitat universite university workshop"""
)
PLACE_HEADS = _words(
    """abbey alps archipelago avenue basin bay beach bridge cape castle cathedral cave caves channel city coast
    colony confederation continent cordillera county crossing desert district duchy empire estate falls farm fjord
    forest fort garden gardens gate glacier gulf harbor harbour highlands hill hills inn island islands isle isles
    kingdom lagoon lake lighthouse lodge manor marsh mill moor mount mountain mountains ocean palace park pass
    peak peninsula plain plateau point port prefecture province quay range reef region republic ridge river road
    rock sea shire sound spring square station strait straits street territory tower town township valley village
    volcano voivodeship wood woods"""
)
ORGANIZATION_STARTS = _words(
    """academie academia accademia akademie banu college collegio ecole faculte gymnasium institut instituto lycee
    ministere musee museo societe universidad universita universitat universite"""
)
CONCEPTS = _words(
    """allah bible buddhism catholicism christianity god hadith heaven hell hinduism islam judaism judgment paradise
    quran talmud torah zionism sunnah"""
)
PLACE_ARTICLES = _words("la le las los el")
SURNAME_HEADS = _words(
    """bank bill bridge bush church court day field forest gates hall hill hills house law lake marsh mill moor page
    park press price rock sound west wood woods young"""
)
PLACE_STARTS = _words(
    """rue via calle ulica avenue boulevard lake mount mt cape fort ft port rio cerro sierra isla ile san santa santo
    new south north east west upper lower saint st"""
)
OTHER_HEADS = _words(
    """act age agreement award awards battle bill calendar campaign charter code conference congress constitution
    convention crisis crusade cup day declaration dictionary doctrine edict election encyclopaedia encyclopedia
    era essay event exhibition expedition festival games history hymn law laws letter letters mass massacre medal
    method minuet movement narrative number opera page paper peace pilgrimage plague plan poem prelude prize
    prizes process project reformation renaissance report rebellion resolution sermon revolt revolution riots
    scandal siege sonata song symphony system tale test testament theorem theory treaty trial uprising version
    voyage war wars year"""
)

PLACES = _words(
    """africa america antarctica asia europe australia oceania afghanistan albania algeria angola argentina armenia
    austria azerbaijan bahrain bangladesh belarus belgium belize bolivia bosnia botswana brazil britain bulgaria
    burma cambodia cameroon canada chile china colombia congo croatia cuba cyprus czechoslovakia denmark ecuador
    egypt england estonia eritrea ethiopia finland france gambia georgia germany ghana greece greenland guatemala
    guinea guyana haiti holland honduras hungary iceland india indonesia iran iraq ireland israel italy jamaica
    japan jordan kazakhstan kenya korea kuwait laos latvia lebanon libya liechtenstein lithuania luxembourg
    macedonia madagascar malawi malaysia mali malta mauritania mexico moldova monaco mongolia montenegro morocco
    mozambique myanmar namibia nepal netherlands nicaragua niger nigeria norway oman pakistan palestine panama
    paraguay persia peru philippines poland portugal prussia qatar romania russia rwanda scotland senegal serbia
    siberia singapore slovakia slovenia somalia spain sudan sweden switzerland syria taiwan tanzania thailand
    tunisia turkey uganda ukraine uruguay venezuela vietnam wales yemen zambia zimbabwe abyssinia arabia anatolia
    bavaria bohemia burgundy castile catalonia corsica petersburg astrakhan tobolsk weimar crete galicia hejaz
    lapland lorraine mesopotamia moravia normandy pomerania provence saxony scandinavia sicily silesia thuringia
    transylvania tuscany california florida texas nevada virginia louisiana alaska hawaii quebec ontario scania
    java sumatra tasmania tenerife amsterdam ankara antwerp athens avignon baghdad baltimore barcelona basel basra
    beijing beirut belgrade berlin bern birmingham bogota bologna bombay bonn bordeaux boston bremen breslau brno
    brunswick brussels bucharest budapest cadiz cairo calcutta callao cambridge caracas cartagena chicago cologne
    constantinople copenhagen cordoba cracow cumana damascus danzig delhi dresden dublin edinburgh ferrara
    florence frankfurt frauenburg freiberg gdansk geneva genoa ghent giessen glasgow gothenburg gottingen granada
    graz guayaquil hamburg hanover havana heidelberg helsinki innsbruck istanbul jena jerusalem kazan kiev
    konigsberg krakow kyiv kyoto leiden leipzig leningrad lima lisbon liverpool ljubljana london lublin lucerne
    lviv lyon lyons madrid mainz manchester marseille marseilles mecca medina melbourne milan minsk montreal
    moscow munich nantes naples nuremberg odessa olsztyn orenburg oslo oxford padua palermo paris pasadena
    philadelphia pisa potsdam poznan prague princeton quito riga rome rotterdam salzburg samarkand sarajevo
    seville shanghai sofia stockholm strasbourg stuttgart sydney tallinn tehran tokyo toledo torun toulouse
    trieste turin utrecht valencia valladolid venice versailles vienna vilnius warsaw wurzburg yathrib york zagreb
    zurich amazon danube elbe euphrates ganges loire magdalena mississippi moselle nile oder orinoco rhine rhone
    seine thames tiber tigris vistula volga alps andes apennines carpathians caucasus himalaya pyrenees urals
    altai sahara baltic mediterranean atlantic pacific caribbean adriatic chimborazo cotopaxi etna vesuvius teide"""
)

DEMONYMS = _words(
    """african albanian american arab arabic arabian argentine armenian asian assyrian athenian australian austrian
    aztec babylonian bavarian belgian bohemian bolivian brazilian british bulgarian byzantine canadian castilian
    catalan catholic caucasian celtic chilean chinese christian colombian croat croatian cuban czech danish dutch
    ecuadorian egyptian english estonian european finnish flemish florentine franconian french genoese georgian
    german germanic greek hebrew hindu hungarian icelandic incan indian iranian iraqi irish islamic israeli
    italian japanese jewish jesuit korean latin latvian lithuanian lutheran meccan medinan mexican mongol
    mongolian moorish moroccan muslim norman norse norwegian ottoman pakistani parisian persian peruvian
    philippine polish portuguese protestant prussian quranic roman romanian russian saxon scandinavian scottish
    scots serbian siberian sicilian silesian slavic slovak soviet spanish swedish swiss syrian tatar teutonic thai
    tibetan tunisian turkish ukrainian venetian vietnamese yemeni welsh west western eastern northern southern
    zionist biblical gregorian julian victorian anglican muslims christians jews arabs germans poles russians
    americans europeans greeks romans turks persians huguenots"""
)

FEMALE_NAMES = _words(
    """abigail ada adelaide agata agnes aisha alice alicja amalia amanda amelia amina amy ana andrea angela anita
    anna anne annie antonia astrid barbara beatrice bertha bronislawa bridget camille carla carmen caroline
    catherine cecilia charlotte chloe christina christine clara claire claudia cora cordelia daisy deborah diana
    dina dora doris dorothea dorothy edith eileen elena eleanor elizabeth elisabeth ella ellen elsa elsie emilia
    emily emma erica esther eugenia eva eve fatima fanny fiona flora florence frances francesca frida gabriela
    georgia gertrude grace greta hana hannah harriet helen helena helene henrietta henriette hilda ida inga ingrid
    irena irene iris isabel isabella jadwiga jane janet jean jenny jessica jo joan joanna josephine judith julia
    juliana julie justyna karen karin katarzyna kate katherine katrin khadija kristin krystyna laura lavinia lea
    leila lena leonora lina linda lisa liv lise lotte louisa louise lucia lucy ludwika lydia mabel magda magdalena
    malgorzata margaret margarete maria marianne marie marina marta martha mary matilda maud maya mileva mildred
    minna miriam molly monica nadia nancy natalia natalie nina nora olga olivia patricia paula paulina pauline
    penelope petra philippa phoebe polly rachel ragnhild rebecca regina renata rita rosa rose rosalie rosalind
    ruth sabina sally sandra sara sarah selma sofia solange sophia sophie stella stefania susan susanna sylvia
    tatiana teresa theresa tilda ursula valentina vera veronica victoria viola virginia wanda wilhelmina yvonne
    zofia zoe"""
)
MALE_NAMES = _words(
    """aaron abdullah abel abraham abu adam adolf adolphe ahmad aime alan albert albrecht alessandro alexander
    alexandre alfred ali allan ambrose anders andre andreas andres andrew angus anselm anthony anton antoine
    antonio archibald ari arnold arthur august auguste augustus axel baldwin barnaby bartholomew basil ben
    benedict benjamin bernard bertrand bilal bjorn bob boris bruno carl carlo carlos casimir caspar cecil charles
    christian christoph christopher claude clement colin conrad constantine copernicus cuthbert cyril daniel
    dariusz david denis dennis diego dietrich dmitri dominic donald douglas duncan edgar edmund eduard edvard
    edward edwin elias emanuel emil emile enrico eric erik ernest ernst erwin eugene ezra felix ferdinand fernando
    filippo florian francis francisco francois frank franz fred frederic frederick friedrich fritz gabriel galileo
    gaspard gavin geoffrey georg george georges gerald gerard gerhard gianni gilbert giovanni giuseppe goran
    gottfried gottlob graham gregor gregory guido guillaume gunnar gustav guy hal halvor hamza hans harald harold
    harry hassan heinrich hendrik henri henry herbert herman hermann hieronymus horace horatio hubert hugh hugo
    humphrey husayn ian ibrahim ignacy igor ingmar isaac isaiah ishmael ivan ivar jack jacob jacques jakob james
    jan jasper jean jeremy jerome jerzy jim joachim joe joel johan johann johannes john jon jonas jonathan jorg
    jose josef joseph joshua jozef juan jules julian julius jurgen justus karl kaspar kenneth kasper kazimierz
    klaus knut konrad konstantin kurt lars laurence laurens lawrence leif leo leon leonard leonardo leopold lewis
    lorenz lorenzo louis luc lucas ludwig luigi luis luke magnus malcolm marc marcel marcus mario mark martin
    mateo matthew matthias maurice max maximilian michael michel miguel mikael mikolaj milan miles mohammed morris
    moritz moses muhammad nathan nathaniel ned nicholas nicolas nicolaus niels nikolai nikolaus nils noah norman
    olaf oliver omar oscar oskar otto owen pablo paolo pascal patrick paul pedro per percy peter philip philipp
    pierre pietro piotr quentin rafael ralph ramon raphael raymond reginald rene ricardo richard rob robert
    roderick roger roland rolf roman ronald rudolf rupert samuel santiago saul sebastian serge sergei sidney
    siegfried sigismund sigmund silas simon stanislaw stefan stephen steven sven sverre tadeusz theo theodor
    theodore thomas tim timothy tobias tom tor ulrich umar uthman vasily victor viktor vincent vladimir waldemar
    walter wenceslas werner wilhelm wilfred william winston wladyslaw wolfgang xavier yusuf zygmunt"""
)

ROLE_ADJECTIVES = _words("young old rich poor famous great little tall kind good")
PLAIN_ROLES = _words("man woman boy girl lady friend major sibling heir")
ROLE_NOUNS = _words(
    """abbot activist actor actress adviser advisor admiral ambassador anatomist apothecary archaeologist archbishop
    architect artist assistant astronomer astrophysicist attorney author baker banker biologist bishop blacksmith
    boatman bookseller botanist boy builder butler caliph candidate canon captain carpenter chamberlain chancellor
    chaplain chemist chief chronicler clergyman clerk colleague collector commander commissioner companion
    composer conductor consul cook cousin critic daughter dealer dean deputy dictator diplomat director doctor
    drummer economist editor elector emperor empress engineer engraver envoy explorer farmer father ferryman
    fisherman foreman founder friend gardener general geographer geologist geometer girl goldsmith governor
    governess grandfather grandmother grandson guide harbourmaster healer historian housekeeper humanist husband
    innkeeper inspector instructor inventor jeweller journalist judge jurist keeper king knight lady landowner
    lawyer leader lecturer lexicographer librarian lieutenant linguist logician magistrate maid major man
    manufacturer master mathematician mayor mechanic mechanician member merchant messenger meteorologist midwife
    miller mineralogist miner minister missionary monk mother musician naturalist neighbour nephew niece novelist
    nun nurse officer organist owner painter patron peasant philologist philosopher photographer physician
    physicist pianist pilot pioneer pirate playwright poet politician polymath postmaster preacher president
    priest prince princess printer professor prophet psychologist publisher pupil queen rabbi rector reformer
    ruler sailor schoolmaster schoolteacher scholar scientist sculptor secretary senator sergeant servant shepherd
    shopkeeper singer skipper smith socialist sociologist soldier son soprano spy statesman student successor
    sultan surgeon surveyor tailor teacher theologian theorist trader translator traveller treasurer tutor uncle
    vicar viceroy violinist watchmaker weaver widow widower wife woman writer zoologist aunt brother sister
    sibling heir heiress"""
)

PLACE_NOUNS = _words(
    """archipelago bay borough capital castle city coast colony country district duchy empire estate farm fjord
    fortress gulf hamlet harbour hill inlet island islands kingdom lake mine mountain mountains palace peak
    peninsula port province canal rapids region republic ridge river sea seaport settlement shipyard spa state
    stream street strait suburb territory town valley village volcano volcanoes"""
)

# What else a place, a group or a thing is said to be; these words do not settle its type.
PLACE_ROLES = _words(
    """airport area building canton cave cemetery church commune community continent county desert district metropolis
    monument mosque municipality neighborhood neighbourhood oasis ocean parish park peninsula plain prefecture
    railway road sanatorium settlement site station street suburb temple tower township valley voivodeship"""
)
ORGANIZATION_ROLES = _words(
    """agency airline band brand branch charity clan club corporation denomination dynasty ensemble family firm
    franchise group label maker manufacturer movement network newspaper organization publisher religion sect team
    tribe"""
)
OTHER_ROLES = _words(
    """album award ballet battle book campaign chapter character comedy concept conflict crime day disease documentary
    drama element episode event faith festival film holiday journal language law magazine medal mineral movie musical
    myth novel opera painting play poem prize program programme religion sculpture series show single song sonata
    story symphony system theory treaty uprising war weapon work"""
)

GROUP_NOUNS = _words("tribe tribes clan clans dynasty family families brothers")

SPEECH_VERBS = _words(
    """said cried replied asked answered thought exclaimed shouted whispered muttered remarked added repeated"""
)

PERSON_VERBS = _words(
    """added admired admitted agreed answered argued arrived asked asserted attended became believed born bought
    called came claimed complained composed concluded confessed cried decided declared described died discovered
    dreamed drew emigrated exclaimed felt forgot found founded frowned gave gazed grew grumbled hated heard helped
    hesitated hoped insisted invited joined kissed knelt knew laughed learned learnt left lectured lived loved
    married met moved murmured muttered nodded painted persuaded pointed preached preferred promised proposed
    published read refused remarked remembered replied resigned returned rode said sang sat saw shook shouted
    shrugged sighed slept smiled spoke stared stood stayed studied suggested talked taught thought told took
    travelled tried turned visited waited walked wanted went wept whispered wished wondered worked wrote says
    thinks lives works writes teaches studies"""
)
