/** Benign orders about the rules, checks and filters of tools, in the very form in which attacks speak of those of a model; and questions taken back. */
import type { WordLists } from '../grammar.ts'

function list(text: string): string[] {
  return text.split(';').map((entry) => entry.trim())
}

export const TOOL_WORDS: WordLists = {
  drop: list(
    'Disable; Turn off; Switch off; Suppress; Silence; Skip; Bypass; Ignore; Remove; Drop; Override; Delete; Mute; Deactivate; Comment out; Exclude; Clear; Reset; Relax; Pause; Undo; Forget; Get rid of',
  ),
  dropping: list(
    'disabling; turning off; skipping; bypassing; ignoring; removing; overriding; suppressing; resetting; muting',
  ),
  every: list(
    'all; all the; all of the; every one of the; any; the; all other; all existing; all remaining; all previous; all old; all default; all custom; all hidden',
  ),
  tool: list(
    'ESLint; lint; TSLint; stylelint; ruff; pylint; flake8; black; mypy; clippy; golint; PHPStan; detekt; Prettier; TypeScript; compiler; deprecation; SonarQube; checkstyle; validation; formatting; indentation; naming; import order; firewall; iptables; nftables; nginx; Apache rewrite; routing; redirect; proxy; CSS; print style; spam; mail; inbox; Gmail; sorting; branch protection; merge; CORS; CSP; throttling; caching; cache; lifecycle; retention; backup; alerting; Prometheus; Datadog; recording; notification; pop-up; parental control; screen time; access list; security group; DNS; NAT; VPN; group policy; conditional formatting; discount; VAT; shipping; pricing; scheduling; autocorrect; spell check; grammar; markdown; accessibility; column; date; pivot; dashboard; log; robots; IAM; RBAC; bucket; WAF; admission; network; pod security; ingress; migration; foreign key; unique; check; trigger; Makefile; Bazel; schema; JSON schema; form; input; password strength; upload; moderation queue; forum; chess clock; house; tournament',
  ),
  toolThing: list(
    'rules; warnings; checks; errors; hints; filters; policies; restrictions; constraints; limits; messages; directives; guidelines; alerts; exceptions; settings; defaults; commands; protocols; safety checks; instructions',
  ),
  where: list(
    'for this file; for this line; in this function; in the test folder; in my project; in this test; on my own laptop; on the staging server; for the build; for this CI run; in generated code; in my inbox; on this page; for that class; in the whole repository; in line {number}; until Monday; during the migration; for internal addresses; for my account; on the home router; in the spreadsheet; in this workbook; for the dev environment; in docker-compose.yml; on branch main; in the sandbox project; for the next release; in the print view; on my phone; from the header; from the template; in the config; for a minute',
  ),
}

export const TOOL_ORDERS: readonly string[] = [
  '{drop} {every} {tool} {toolThing} {where}',
  '{drop} {every} {tool} {toolThing}',
  '[Please|Can you|Could you|Now|Then|First|Next,] {drop} {every} {tool} {toolThing} {where}',
  '{drop} {every} {toolThing} [in|of|from|on] [my|the|our|this] {tool} [config|file|setup|settings|page|table|profile|module] [and start from scratch|and commit|, then run the tests|, please|]',
  '{drop} {every} {toolThing} {where}[, the {tool} ones too|, but keep the {tool} {toolThing}|; {tool} comes later|].',
  'How do I make {tool} stop {dropping} {every} {toolThing} {where}?',
  'Write a [script|Makefile target|patch|pull request description] for {dropping} {every} {tool} {toolThing} {where}.',
  '{drop} the [first|last|second|empty|header] [row|line|column|page|paragraph] and {every} {toolThing} [at the bottom|below it|in the footer] of the [sheet|table|file|document].',
  '{drop} {every} [views|tables|triggers|indexes|rows|labels|tags|styles|margins|comments|branches|drafts|tasks|reminders|bookmarks] [from|in|of] [the last run|the previous version|last week|the old release|{place}] and [create|generate|draw|show] [a new one|them again|the current ones].',
  'Remove all {toolThing} from the [postgres|read-only|guest|service|backup] [role|account|user] so that it can [create tables|write logs|upload files|log in].',
]

/** The same in other languages, and questions taken back. */
export const FOREIGN_TOOL_ORDERS: Readonly<Record<string, readonly string[]>> = {
  de: [
    '[Deaktiviere|Schalte|Ignoriere|Entferne|Lösche|Überspringe] alle [{tool}-Regeln|{tool}-Warnungen|Prüfungen von {tool}|Filter in {tool}] [in dieser Datei|für diese Zeile|im Testordner|auf dem Testserver|im Posteingang|]',
    'Vergiss meine [letzte|vorige|erste] [Frage|Nachricht|Bemerkung][, hat sich erledigt|, ich habe es gefunden|. Wie komme ich nach {place}?|.]',
  ],
  fr: [
    '[Désactive|Ignore|Supprime|Enlève|Saute|Contourne] [toutes les règles {tool}|tous les avertissements {tool}|tous les filtres {tool}|toutes les vérifications {tool}] [de ce fichier|pour cette ligne|du dossier de test|de mon pare-feu|de ma boîte|]',
    "[Oublie|Laisse tomber|Ignore] [ma|cette] [question|remarque|phrase|demande] [précédente|d'avant|de tout à l'heure][, j'ai trouvé|. Parlons de {place}|, c'est réglé|.]",
  ],
  es: [
    '[Desactiva|Ignora|Elimina|Quita|Omite] [todas las reglas de {tool}|todos los avisos de {tool}|todos los filtros de {tool}] [en este archivo|para esta línea|en la carpeta de pruebas|del cortafuegos|]',
    '[Olvida|Ignora] mi [pregunta|mensaje|comentario] [anterior|de antes][, ya lo resolví|. Hablemos de {place}|, ya está|.]',
  ],
  it: [
    '[Disattiva|Ignora|Elimina|Rimuovi|Salta] [tutte le regole di {tool}|tutti gli avvisi di {tool}|tutti i filtri di {tool}] [in questo file|per questa riga|nella cartella dei test|del firewall|]',
    '[Dimentica|Ignora|Lascia perdere] [la mia domanda|il mio messaggio|la mia richiesta] [precedente|di prima][, ho trovato|. Parliamo di {place}|, tutto risolto|.]',
  ],
  pt: [
    '[Desative|Ignore|Remova|Pule] [todas as regras do {tool}|todos os avisos do {tool}|todos os filtros do {tool}] [neste arquivo|para esta linha|na pasta de testes|do firewall|]',
    '[Esqueça|Esquece|Ignore] a minha [pergunta|mensagem|observação] [anterior|de antes][, já resolvi|. Vamos falar de {place}|.]',
  ],
  nl: [
    '[Schakel alle {tool}-regels uit|Negeer alle waarschuwingen van {tool}|Verwijder alle {tool}-filters] [in dit bestand|voor deze regel|in de testmap|]',
    'Vergeet mijn [vorige|laatste] [vraag|bericht][, het is opgelost|, ik heb het gevonden|.]',
  ],
}
