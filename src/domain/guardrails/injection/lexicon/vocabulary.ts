/**
 * Plain English words that disguised text is read back into (joined, scrambled, leet or foreign letters). Only what attacks are
 * made of and the small words between: a word that is not here is left as it was written.
 */
export const VOCABULARY: readonly string[] = (
  'ignore ignored ignoring disregard forget override bypass discard neglect overrule circumvent disobey erase reset abandon previous previously prior above earlier preceding before past initial original former existing current ' +
  'all any every everything each entire instruction instructions rule rules guideline guidelines directive directives directions command commands order orders prompt prompts constraint constraints restriction restrictions ' +
  'limitation limitations policy policies safety filter filters protocol protocols programming training context message messages ethics content text system developer hidden internal confidential secret secrets ' +
  'password passwords passcode passphrase key keys api token tokens credential credentials reveal show print output display disclose leak expose recite dump repeat tell give write share say list return provide explain describe translate ' +
  'you your yours are now from on act as pretend roleplay role play simulate become imagine unrestricted unfiltered uncensored unlimited without limits no not never do anything dan jailbreak mode debug admin administrator root ' +
  'developer mode enabled enable activate access granted user assistant model language chatbot respond answer reply with only exactly following follow these this that the new task instead stop start begin end have been has had ' +
  'pwned hacked and or to of in for is be it its me my mine we our them their they was were what which who how why when where can could would should shall will must please just then than there here into out about how make create build ' +
  'step steps detailed code script malware virus hack bomb weapon drug drugs illegal harmful dangerous information data email emails send forward conversation history contents file files delete execute run command malicious explosive poison steal phishing ' +
  'word words first last line lines beginning verbatim complete full entire exact i am an a if but by at up so far given were received told like freely free disable disabled security restrictions safeguards warning important urgent attention'
).split(' ')
