/** German, Dutch, Swedish, Danish and Norwegian words by concept. */
import type { Lexicon } from './concepts.ts'

export const GERMAN: Lexicon = {
  override:
    'ignorier* vergiss vergesse* vergessen missachte* umgeh* überschreib* verwirf verwerfe* außer_acht übergehe* überspring* streiche* lösche hebe_auf setze_außer deaktivier* missachtung befolge_nicht nicht_befolgen folge_nicht halte_dich_nicht nicht_mehr_befolgen beachte_nicht nicht_beachten lass_alle lasse_alle aufgehoben vernachlässig* brich breche ausblenden blende sieh_ab hinweg schalte_ab',
  prior:
    'vorherig* vorig* bisherig* früher* obig* oben vorangegangen* vorangehend* vorhergehend* zuvor davor bislang bisher ursprünglich* anfänglich* bestehend* erste ersten vorstehend* alten gegebenen erhalten_hast vorgegeben* voreingestellt* eben_gesagt bis_jetzt',
  all: 'alle allen alles aller jede jegliche* sämtliche* ganze ganzen',
  instruction:
    'anweisung* instruktion* regel regeln richtlinie* vorgabe* befehl* auftrag aufträge einschränkung* beschränkung* vorschrift* eingabeaufforderung* prompts angaben sicherheitsregel* sicherheitsrichtlinie* sicherheitsvorgabe* grenzen programmierung aufforderung* anordnung* weisung* inhaltsrichtlinie*',
  talk: 'aufgaben aufgabe kontext informationen text nachricht nachrichten gespräch unterhaltung inhalt gesagte',
  your: 'deine deinen deiner deinem dein dir ihre ihren eure',
  system: 'systems geheim* intern* versteckt* vertraulich* entwickler* verborgen*',
  systemPrompt:
    'systemprompt* system-prompt systemanweis* systemnachricht* systeminstruktion* ursprünglichen_prompt anfangsprompt deine_anweisungen deinen_anweisungen deinen_prompt startanweisung* text_oben obigen_text systemvorgabe* deine_regeln ersten_prompt',
  reveal:
    'zeig zeige zeigen gib_mir gib_aus gib nenne nenn verrate verrat wiederhole wiederholen drucke offenbare offenlegen sag_mir sage_mir schreib_mir übersetze wie_lautet wie_lauten was_ist was_steht ausgeben preisgeben enthülle teile_mir liste fasse buchstabiere wörtlich wortwörtlich wort_für_wort lautet lauten was_stand zitiere kopiere',
  secret:
    'passwort passwörter geheimnis schlüssel kennwort zugangsdaten geheimwort api-schlüssel zugangscode losungswort codewort',
  persona:
    'tu_so spiele spiel rolle verhalte_dich agiere du_bist_jetzt du_bist_nun du_bist_ab handle_als fungiere stell_dir schlüpfe übernimm antworte_als simuliere nimm_die_rolle benimm_dich verwandle',
  free: 'uneingeschränkt* ungefiltert* unzensiert* ohne_einschränkungen ohne_regeln ohne_filter ohne_grenzen ohne_zensur keine_regeln keine_einschränkungen keine_grenzen keinen_regeln keinerlei grenzenlos* ohne_jegliche alles_tun unbegrenzt* ohne_moral keine_filter keine_moral niemals_ablehnen ohne_rücksicht',
  now: 'jetzt nun ab_jetzt ab_sofort von_nun_an von_jetzt_an stattdessen fortan künftig ab_nun sofort',
  keep: 'vergiss_nicht nicht_vergessen nicht_ignorieren ignoriere_nicht vergessen_habe vergessen_sie_nicht',
  authority:
    'ich_bin_der_entwickler ich_bin_dein_entwickler dein_entwickler administrator* entwicklermodus wartungsmodus debug-modus autorisiert* befugt testmodus ich_bin_der_administrator administratorin sicherheitsteam',
  ai: 'ki assistent assistenten sprachmodell* ki-modell ki-assistent* modell künstliche_intelligenz ki-system*',
  user: 'der_benutzer dem_benutzer den_benutzer der_nutzer dem_nutzer den_nutzer dem_anwender nutzer benutzer',
  conceal:
    'ohne_zu_erwähnen heimlich sage_dem_nutzer_nicht erwähne_nicht nicht_erwähnen informiere_nicht unbemerkt verschweig* ohne_den_nutzer erzähle_niemandem ohne_rückfrage stillschweigend erwähne_das_nicht',
  send: 'sende schicke senden schicken leite weiterleiten überweise lade_hoch öffne rufe übermittle überweisen klicke besuche lösche',
  data: 'gesprächsverlauf verlauf kundendaten daten e-mails kontakte dateien zugangsdaten nachrichten kontodaten chatverlauf',
  say: 'antworte schreib schreibe sag sage ausgabe antworten antwort_mit beginne_mit behaupte wiederhole',
  only: 'nur genau ausschließlich nichts_anderes lediglich nichts_weiter sonst_nichts immer',
  harm: 'bombe bomben sprengstoff waffe waffen illegal* schadsoftware drogen gift hacken betrug gewalt hasserfüllt* beleidig*',
  meta: 'angriff angriffe angreifer sicherheitslücke* erkennen verhindern schützen beispiel forschung artikel erkläre erklären bedeutet',
  question: 'warum wie wieso weshalb wann wo welche welcher wer',
  newTask:
    'neue_anweisung* neue_aufgabe neuen_anweisungen neue_anweisungen neue_regeln folgende_anweisungen folgenden_anweisungen eigentliche_aufgabe deine_neue_aufgabe wahre_aufgabe neue_rolle neuer_auftrag folge_meinen meine_anweisungen meinen_anweisungen neue_informationen neue_herausforderung* neue_instruktionen hör_auf_mich',
  alarm: 'wichtig achtung dringend warnung hinweis',
  request: 'bitte musst muss sollst soll sollen müssen möchte_dass will_dass',
  document:
    'zusammenfass* dokument diesen_text dieser_text webseite diese_e-mail dieses_dokument seite bewerbung lebenslauf beim_zusammenfassen',
}

export const DUTCH: Lexicon = {
  override:
    'negeer negeren vergeet vergeten omzeil* overschrijf* laat_vallen schrap wis volg_niet niet_volgen sla_over passeer trek_je_niets houd_je_niet hou_je_niet verwerp veronachtzaam schakel_uit',
  prior:
    'vorige eerdere voorgaande bovenstaande voorafgaande hierboven oorspronkelijke eerder tot_nu_toe hiervoor bestaande eerste initiële oude gekregen',
  all: 'alle alles elke iedere al_je',
  instruction:
    'instructie instructies regels regel opdracht opdrachten richtlijn richtlijnen bevelen bevel beperkingen voorschriften aanwijzing aanwijzingen veiligheidsregels beleid beleidsregels',
  talk: 'bericht berichten tekst context gesprek taak taken informatie inhoud',
  your: 'je jouw uw jullie',
  system: 'systeem geheime verborgen interne vertrouwelijke',
  systemPrompt:
    'systeemprompt systeem-prompt systeembericht systeeminstructie* je_instructies jouw_instructies oorspronkelijke_prompt je_prompt systeemopdracht* tekst_hierboven',
  reveal:
    'toon laat_zien geef_me geef_mij vertel_me herhaal onthul druk_af print_je wat_is wat_zijn schrijf_uit verklap woord_voor_woord letterlijk wat_staat',
  secret: 'wachtwoord wachtwoorden geheim geheimen sleutel toegangscode inloggegevens',
  persona: 'doe_alsof gedraag_je speel rol je_bent_nu jij_bent_nu doe_je_voor stel_je_voor neem_de_rol',
  free: 'onbeperkt* ongefilterd* ongecensureerd* zonder_beperkingen zonder_regels zonder_filters zonder_filter zonder_grenzen geen_regels geen_beperkingen geen_grenzen alles_doen zonder_censuur geen_filters niets_weigeren',
  now: 'nu vanaf_nu voortaan in_plaats_daarvan meteen',
  keep: 'vergeet_niet niet_vergeten negeer_niet',
  authority:
    'ik_ben_de_ontwikkelaar ontwikkelaar beheerder ontwikkelaarsmodus onderhoudsmodus geautoriseerd ontwikkelmodus bevoegd jouw_maker',
  ai: 'ai-assistent taalmodel ai-model assistent kunstmatige_intelligentie',
  user: 'de_gebruiker gebruiker gebruikers',
  conceal:
    'zonder_te_vermelden stiekem vertel_de_gebruiker_niet niet_vermelden vermeld_niet zonder_toestemming ongemerkt vermeld_dit_niet',
  send: 'stuur verstuur verzend doorsturen upload maak_over klik bezoek verwijder',
  data: 'gesprek gespreksgeschiedenis klantgegevens gegevens e-mails contacten bestanden berichten',
  say: 'zeg antwoord schrijf reageer antwoord_met begin_met',
  only: 'alleen uitsluitend enkel precies niets_anders',
  newTask:
    'nieuwe_instructies nieuwe_opdracht nieuwe_taak nieuwe_regels volgende_instructies echte_taak nieuwe_rol volg_mijn mijn_instructies werkelijke_taak',
  question: 'wat waarom hoe wanneer waar welke wie',
  alarm: 'belangrijk let_op dringend waarschuwing',
  request: 'alsjeblieft alstublieft moet moeten zou_je wil_dat',
  document: 'samenvat* dit_document deze_tekst deze_pagina deze_e-mail vat_samen',
}

export const NORDIC: Lexicon = {
  override:
    'ignorera strunta glöm bortse åsidosätt följ_inte ignorer glem se_bort overse tilsidesæt følg_ikke følg_ikkje unohda älä_välitä jätä_huomiotta ohita',
  prior:
    'tidigare föregående ovanstående ovan ursprungliga tidligere foregående ovenstående forrige oprindelige ovenfor opprinnelige aiemmat edelliset aiempia kaikki_aiemmat',
  all: 'alla allt samtliga alt kaikki',
  instruction:
    'instruktioner instruktionerna instruktion regler reglerna anvisningar riktlinjer kommandon instruktionerne reglerne retningslinjer instrukser instruksjoner instruksjonene ohjeet ohjeita säännöt',
  your: 'dina din ditt dine sinun',
  systemPrompt:
    'systemprompten systemmeddelande systeminstruktioner systemmeddelelse systembesked systemmelding dina_instruktioner dine_instruktioner järjestelmäkehote',
  reveal:
    'visa_mig avslöja skriv_ut upprepa berätta vis_mig afslør gentag udskriv fortæl avslør gjenta vis_meg fortell näytä paljasta toista kerro',
  secret: 'lösenord lösenordet adgangskode kodeord kodeordet passord passordet salasana',
  persona: 'låtsas agera_som du_är_nu lad_som_om du_er_nu opfør_dig later_som_om spill_rollen olet_nyt',
  free: 'utan_begränsningar utan_regler utan_filter ofiltrerad ocensurerad obegränsad uden_begrænsninger uden_regler ufiltreret ucensureret uten_begrensninger uten_regler ufiltrert ilman_rajoituksia',
  now: 'från_och_med_nu istället i_stället fra_nu_af i_stedet fra_nå_av tästä_lähtien sen_sijaan',
  newTask: 'nya_instruktioner ny_uppgift nye_instruktioner ny_opgave nye_instruksjoner ny_oppgave uusi_tehtävä',
  say: 'svara skriv säg svar sig_at vastaa',
  only: 'endast bara enbart kun udelukkende bare vain',
}
