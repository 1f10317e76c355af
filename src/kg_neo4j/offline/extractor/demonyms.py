"""Which country an adjective of origin means: a French physicist is of France."""

from __future__ import annotations

_LINES = """
Afghan: Afghanistan | Albanian: Albania | Algerian: Algeria | American, Americans: United States
Angolan: Angola | Argentine, Argentinian: Argentina | Armenian: Armenia | Australian: Australia
Austrian: Austria | Azerbaijani: Azerbaijan | Bangladeshi: Bangladesh | Belarusian: Belarus | Belgian: Belgium
Bolivian: Bolivia | Brazilian: Brazil | British: United Kingdom | Bulgarian: Bulgaria | Burmese: Myanmar
Cambodian: Cambodia | Canadian: Canada | Chilean: Chile | Chinese: China | Colombian: Colombia
Congolese: Congo | Croatian: Croatia | Cuban: Cuba | Cypriot: Cyprus | Czech: Czech Republic | Danish: Denmark
Dutch: Netherlands | Ecuadorian: Ecuador | Egyptian: Egypt | English: England | Estonian: Estonia
Ethiopian: Ethiopia | Filipino, Philippine: Philippines | Finnish: Finland | French: France | Georgian: Georgia
German, Germans: Germany | Ghanaian: Ghana | Greek, Greeks: Greece | Hungarian: Hungary | Icelandic: Iceland
Indian: India | Indonesian: Indonesia | Iranian: Iran | Iraqi: Iraq | Irish: Ireland | Israeli: Israel
Italian, Italians: Italy | Jamaican: Jamaica | Japanese: Japan | Jordanian: Jordan | Kazakh: Kazakhstan
Kenyan: Kenya | Latvian: Latvia | Lebanese: Lebanon | Libyan: Libya | Lithuanian: Lithuania
Macedonian: Macedonia | Malaysian: Malaysia | Maltese: Malta | Mexican: Mexico | Mongolian: Mongolia
Moroccan: Morocco | Nepalese: Nepal | Nigerian: Nigeria | Norwegian: Norway | Pakistani: Pakistan
Paraguayan: Paraguay | Peruvian: Peru | Poles, Polish: Poland | Portuguese: Portugal | Prussian: Prussia
Romanian: Romania | Russian, Russians: Russia | Scottish: Scotland | Senegalese: Senegal | Serbian: Serbia
Singaporean: Singapore | Slovak: Slovakia | Slovenian: Slovenia | Soviet: Soviet Union | Spanish: Spain
Swedish: Sweden | Swiss: Switzerland | Syrian: Syria | Taiwanese: Taiwan | Thai: Thailand | Tunisian: Tunisia
Turkish: Turkey | Ugandan: Uganda | Ukrainian: Ukraine | Uruguayan: Uruguay | Venezuelan: Venezuela
Vietnamese: Vietnam | Welsh: Wales | Yemeni: Yemen | Yugoslav: Yugoslavia | Zimbabwean: Zimbabwe
"""

NATIONS = {
    word.strip(): country.strip()
    for entry in _LINES.replace("\n", "|").split("|")
    if entry.strip()
    for words, country in [entry.split(":")]
    for word in words.split(",")
}
COUNTRIES = frozenset(NATIONS.values())
