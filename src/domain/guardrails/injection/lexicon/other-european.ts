/** Greek and Hungarian words by concept. */
import type { Lexicon } from './concepts.ts'

export const GREEK_HUNGARIAN: Lexicon = {
  override:
    'αγνόησε αγνοήστε ξέχασε ξεχάστε παράβλεψε παράκαμψε hagyd_figyelmen felejtsd felejts_el ne_kövesd hagyja_figyelmen',
  prior: 'προηγούμενες προηγούμενα παραπάνω αρχικές korábbi előző fenti eddigi eredeti',
  all: 'όλες όλα όλους összes minden',
  instruction: 'οδηγίες εντολές κανόνες περιορισμούς utasítás* szabály* korlátozás* irányelv*',
  your: 'σου σας',
  systemPrompt:
    'οδηγίες_συστήματος μήνυμα_συστήματος προτροπή_συστήματος οδηγίες_σου rendszerprompt* rendszerutasítás* rendszerüzenet* utasításaidat',
  reveal: 'δείξε αποκάλυψε εμφάνισε πες_μου επανάλαβε τύπωσε mutasd áruld ismételd írd_ki mondd_el fedd',
  secret: 'κωδικό κωδικός_πρόσβασης κωδικό_πρόσβασης jelszó jelszót jelszavad*',
  persona: 'προσποιήσου κάνε_πως είσαι_τώρα τώρα_είσαι παίξε_τον_ρόλο tegyél_úgy viselkedj mostantól_te te_most játszd',
  free: 'χωρίς_περιορισμούς χωρίς_όρια χωρίς_κανόνες χωρίς_λογοκρισία korlátlan* korlátozás_nélkül* korlátok_nélkül* szabályok_nélkül* cenzúrázatlan*',
  now: 'τώρα από_τώρα αντί_αυτού mostantól ehelyett',
  say: 'απάντησε πες válaszolj mondd',
  only: 'μόνο csak kizárólag',
  newTask: 'νέες_οδηγίες νέα_εργασία új_utasítás* új_feladat*',
}
