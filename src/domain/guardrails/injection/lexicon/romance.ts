/** French, Spanish, Portuguese, Italian, Catalan and Romanian words by concept. */
import type { Lexicon } from './concepts.ts'

export const FRENCH: Lexicon = {
  override:
    'ignore ignorez ignorer oublie oubliez oublier néglige* contourne* écarte* outrepasse* passe_outre ne_tiens_pas_compte ne_tenez_pas_compte ne_pas_tenir_compte fais_abstraction faites_abstraction fais_fi faites_fi ne_suis_pas ne_suis_plus ne_suivez_pas ne_suivez_plus ne_respecte_pas ne_respectez_pas annule annulez supprime désactive* efface* abandonne* laisse_tomber laissez_tomber sans_tenir_compte laisse_de_côté mets_de_côté désobéi* enfrein* ne_prends_pas_en_compte',
  prior:
    'précédent* précédemment antérieur* ci-dessus ci_dessus dessus auparavant initial* avant préalable* antérieurement existant* premières d_origine d_avant jusqu_ici jusqu_à_présent jusqu_à_maintenant reçu reçues originales originelles plus_haut données',
  all: 'tous toutes tout toute chaque',
  instruction:
    'instruction* consigne* règle* directive* ordres contrainte* restriction* limitation* prompts indications commandes paramètres filtres politique* lignes_directrices garde-fous consignes programmation éthique',
  talk: 'message messages texte contexte conversation tâche tâches informations contenu dit',
  your: 'tes vos ton votre ta',
  system: 'système caché* secrètes secrètes interne* confidentiel* développeur*',
  systemPrompt:
    'prompt_système invite_système message_système instructions_système consignes_système prompt_initial instructions_initiales consignes_initiales tes_instructions vos_instructions ton_prompt votre_prompt texte_ci_dessus invite_initiale tes_consignes vos_consignes prompt_de_départ prompt_caché instructions_de_départ',
  reveal:
    'révèle* affiche affichez montre montrez répète répétez donne_moi donnez_moi donne-moi dis_moi dis-moi dévoile* écris_moi imprime* divulgue* traduis quel_est quelles_sont quels_sont communique recopie* récite* liste_moi mot_pour_mot partage_moi cite résume',
  secret: 'mot_de_passe mots_de_passe clé_secrète clés_api clé_api code_secret identifiants mot_secret code_d_accès',
  persona:
    'fais_comme_si faites_comme_si joue_le_rôle jouez_le_rôle agis_comme agissez_comme agis_en comporte_toi comportez_vous tu_es_maintenant vous_êtes_maintenant tu_es_désormais vous_êtes_désormais imagine incarne* prétends fais_semblant mets_toi glisse_toi deviens tu_vas_jouer simule dans_la_peau',
  free: 'sans_restriction* sans_aucune_restriction sans_limite* sans_aucune_limite sans_filtre* sans_aucun_filtre sans_censure sans_règles illimité* non_censuré* non_filtré* aucune_règle aucune_restriction aucune_limite aucun_filtre libre_de_toute libéré* tout_faire affranchi* sans_morale sans_éthique aucune_morale jamais_refuser',
  now: 'maintenant désormais dorénavant à_partir_de_maintenant à_la_place dès_maintenant plutôt immédiatement',
  keep: 'n_oublie_pas n_oubliez_pas ne_pas_oublier j_ai_oublié n_ignore_pas ne_pas_ignorer j_ignore',
  authority:
    'je_suis_le_développeur je_suis_ton_développeur je_suis_l_administrateur ton_développeur ton_créateur administrateur mode_développeur mode_maintenance mode_debug autorisé habilité mode_débogage équipe_de_sécurité',
  ai: 'ia assistant modèle_de_langage intelligence_artificielle assistants modèle',
  user: 'l_utilisateur utilisateur utilisateurs',
  conceal:
    'ne_dis_pas ne_mentionne_pas ne_mentionnez_pas secrètement sans_le_dire sans_prévenir sans_mentionner n_informe_pas en_secret discrètement sans_en_informer sans_demander sans_avertir',
  send: 'envoie envoyez envoyer transfère* transmets transmettez télécharge* clique* visite* ouvre verse effectue',
  data: 'conversation historique données_personnelles données e-mails courriels contacts fichiers identifiants coordonnées',
  say: 'réponds répondez dis dites écris écrivez réponse commence_par affirme',
  only: 'seulement uniquement exactement rien_d_autre exclusivement simplement toujours',
  harm: 'bombe explosif* arme armes illégal* drogue virus pirater poison haineu* violence insulte*',
  meta: 'attaque attaques attaquant vulnérabilité* détecter prévenir protéger exemple recherche article explique expliquer signifie',
  question: 'pourquoi comment quand quel quelle quels quelles qui est-ce',
  newTask:
    'nouvelles_instructions nouvelle_instruction nouvelle_tâche nouvelles_consignes nouvelles_règles instructions_suivantes vraie_tâche nouveau_rôle nouvelle_mission mes_instructions mes_ordres consignes_suivantes véritable_tâche suis_mes obéis-moi',
  alarm: 'important attention urgent avertissement',
  request: 'veuillez dois devez doit svp s_il_te_plaît s_il_vous_plaît je_veux_que merci_de il_faut',
  document: 'résume* document ce_texte cette_page ce_courriel ce_mail ce_document page_web cv candidature',
}

export const SPANISH: Lexicon = {
  override:
    'ignora ignore ignorad ignorar ignores olvida olvide olvidad olvidar olvídate olvídese omite omita omitir descarta descarte descartar desestima pasa_por_alto haz_caso_omiso haga_caso_omiso hacer_caso_omiso no_sigas no_siga no_hagas_caso no_obedezcas deja_de_seguir anula anular elude evade salta sáltate sobrescribe desobedece desactiva elimina borra prescinde no_tengas_en_cuenta no_tomes_en_cuenta deja_de_lado invalida rompe incumple',
  prior:
    'anterior anteriores previo previa previos previas anteriormente arriba hasta_ahora iniciales inicial original originales existentes precedentes antes primeras recibido recibidas dadas dicho hasta_este_momento',
  all: 'todas todos todo toda cualquier cada',
  instruction:
    'instrucción instrucciones reglas regla órdenes orden directrices directriz indicaciones restricciones restricción limitaciones normas políticas mandatos comandos filtros pautas prompts configuración programación límites consignas',
  talk: 'mensajes mensaje texto contexto conversación tarea tareas información contenido dicho',
  your: 'tus tu sus vuestras',
  system: 'sistema oculto ocultas oculta secretas secreto internas interno confidencial* desarrollador',
  systemPrompt:
    'prompt_del_sistema prompt_de_sistema mensaje_del_sistema mensaje_de_sistema instrucciones_del_sistema instrucciones_de_sistema prompt_inicial instrucciones_iniciales tus_instrucciones tu_prompt sus_instrucciones texto_anterior texto_de_arriba instrucciones_ocultas indicaciones_del_sistema tus_reglas prompt_original instrucciones_originales indicación_del_sistema',
  reveal:
    'revela revele revelar muestra muéstrame muestre muéstranos imprime imprima repite repita dime dame dígame escribe_tus divulga filtra enseña enséñame traduce cuál_es cuáles_son qué_dice comparte transcribe recita palabra_por_palabra textualmente cuéntame expón copia',
  secret:
    'contraseña contraseñas clave claves clave_secreta código_secreto credenciales palabra_secreta clave_de_acceso',
  persona:
    'actúa_como actúe_como actúa finge finja haz_de_cuenta simula compórtate hazte_pasar imagina ahora_eres a_partir_de_ahora_eres eres_ahora juega_el_papel juego_de_rol interpreta asume_el_papel responde_como conviértete pretende adopta',
  free: 'sin_restricciones sin_ninguna_restricción sin_límites sin_ningún_límite sin_filtros sin_filtro sin_censura sin_reglas ilimitado ilimitada sin_limitaciones no_tiene_reglas ninguna_regla ninguna_restricción libre_de cualquier_cosa sin_ética sin_moral no_censurado nunca_rechaza no_puedes_negarte sin_normas',
  now: 'ahora a_partir_de_ahora desde_ahora de_ahora_en_adelante en_su_lugar en_lugar_de_eso en_adelante en_cambio inmediatamente',
  keep: 'no_olvides no_olvide no_ignores no_te_olvides me_olvidé no_ignore no_se_olvide no_omitas',
  authority:
    'soy_el_desarrollador soy_tu_desarrollador tu_desarrollador tu_creador soy_el_administrador administrador modo_desarrollador modo_mantenimiento modo_depuración autorizado modo_de_desarrollador modo_debug equipo_de_seguridad',
  ai: 'ia asistente asistentes modelo_de_lenguaje inteligencia_artificial modelo',
  user: 'el_usuario al_usuario usuario usuarios del_usuario',
  conceal:
    'no_le_digas no_menciones no_mencione en_secreto secretamente sin_decir sin_mencionar sin_avisar no_informes sin_que_el_usuario sin_preguntar no_digas sin_informar',
  send: 'envía envíe enviar reenvía manda transfiere transfiera sube descarga visita abre haz_clic reenvíe',
  data: 'conversación historial datos_personales datos correos contactos archivos credenciales mensajes',
  say: 'responde responda diga escribe escriba contesta respuesta empieza_con respóndeme limítate',
  only: 'solo sólo solamente únicamente exactamente nada_más nada_mas simplemente siempre',
  harm: 'bomba explosivos arma armas ilegal* droga drogas virus hackear veneno violencia odio',
  meta: 'ataque ataques atacante vulnerabilidad* detectar prevenir proteger ejemplo investigación artículo explica explicar significa',
  question: 'qué por_qué cómo cuándo dónde cuál quién que_es',
  newTask:
    'nuevas_instrucciones nueva_instrucción nueva_tarea nuevas_reglas siguientes_instrucciones verdadera_tarea nuevo_rol nueva_misión mis_instrucciones mis_órdenes tarea_real nuevas_órdenes obedéceme',
  alarm: 'importante atención urgente advertencia aviso',
  request: 'por_favor debes debe deberías tienes_que quiero_que necesito_que',
  document: 'resume resumir resumen documento este_texto esta_página este_correo este_documento página_web',
}

export const PORTUGUESE: Lexicon = {
  override:
    'ignore ignora ignorar esqueça esquece esquecer desconsidere desconsiderar desconsidera desobedeça descarte contorne burle não_siga não_obedeça pare_de_seguir anule substitua desrespeite pule deixe_de_lado despreze desative apague deixe_de_seguir não_leve_em_conta abandone quebre',
  prior:
    'anterior anteriores prévias prévia prévio prévios acima iniciais inicial original originais antes até_agora recebidas recebeu passadas existentes precedentes primeiras até_aqui',
  all: 'todas todos tudo toda qualquer',
  instruction:
    'instrução instruções regras regra ordens comandos diretrizes diretriz orientações restrições limitações políticas normas filtros programação configurações limites',
  talk: 'mensagem mensagens texto contexto conversa tarefa tarefas informações conteúdo',
  your: 'suas seus sua seu teu tuas',
  system: 'sistema oculto ocultas secretas internas confidenciais desenvolvedor',
  systemPrompt:
    'prompt_do_sistema prompt_de_sistema mensagem_do_sistema mensagem_de_sistema instruções_do_sistema instruções_de_sistema prompt_inicial instruções_iniciais suas_instruções seu_prompt texto_acima tuas_instruções prompt_original suas_regras instruções_originais instruções_ocultas',
  reveal:
    'revele revela mostre mostra exiba imprima repita diga-me me_diga me_mostre conte me_dê divulgue escreva_suas qual_é quais_são traduza compartilhe transcreva vaze palavra_por_palavra literalmente me_conte me_fale',
  secret: 'senha senhas chave_secreta código_secreto credenciais chave_de_api palavra_secreta palavra-passe',
  persona:
    'aja_como atue_como finja finge você_agora_é agora_você_é você_é_agora comporte-se comporte_se imagine simule interprete faça_de_conta assuma_o_papel incorpore torne-se',
  free: 'sem_restrições sem_nenhuma_restrição sem_limites sem_filtros sem_filtro sem_censura sem_regras ilimitado ilimitada sem_limitações nenhuma_regra nenhuma_restrição livre_de qualquer_coisa sem_ética sem_moral nunca_recuse',
  now: 'agora a_partir_de_agora de_agora_em_diante em_vez_disso doravante daqui_em_diante imediatamente',
  keep: 'não_esqueça não_esquece não_ignore não_se_esqueça esqueci não_deixe_de',
  authority:
    'sou_o_desenvolvedor sou_seu_desenvolvedor seu_desenvolvedor seu_criador administrador modo_desenvolvedor modo_de_desenvolvedor modo_de_manutenção autorizado modo_manutenção equipe_de_segurança',
  ai: 'ia assistente modelo_de_linguagem inteligência_artificial modelo',
  user: 'o_usuário ao_usuário usuário utilizador',
  conceal:
    'não_conte não_mencione não_diga secretamente sem_mencionar sem_avisar não_informe em_segredo sem_que_o_usuário sem_perguntar sem_informar',
  send: 'envie enviar encaminhe encaminha transfira mande clique acesse baixe abra',
  data: 'conversa histórico dados_pessoais dados e-mails contatos arquivos mensagens',
  say: 'responda diga escreva resposta comece_com fale limite-se',
  only: 'apenas somente só exatamente nada_mais unicamente sempre',
  newTask:
    'novas_instruções nova_instrução nova_tarefa novas_regras seguintes_instruções tarefa_real verdadeira_tarefa novo_papel minhas_instruções minhas_ordens nova_missão obedeça-me',
  question: 'por_que como_funciona quando onde quem qual',
  alarm: 'importante atenção urgente aviso',
  request: 'por_favor deve deveria tem_que quero_que preciso_que você_deve',
  document: 'resuma resumir resumo documento este_texto esta_página este_e-mail este_documento',
  meta: 'ataque ataques detectar prevenir proteger exemplo explique explicar artigo pesquisa',
}

export const ITALIAN: Lexicon = {
  override:
    'ignora ignorare ignorate ignori dimentica dimenticare dimenticate dimenticati trascura tralascia scarta aggira aggirare scavalca annulla non_seguire non_rispettare smetti_di_seguire non_tenere_conto non_considerare lascia_perdere disattiva cancella sovrascrivi elimina disobbedisci metti_da_parte ometti bypassa viola',
  prior:
    'precedente precedenti prima sopra iniziale iniziali originale originali finora fin_qui esistenti antecedenti ricevute ricevuto ricevuti date_finora qui_sopra fino_ad_ora fino_a_ora',
  all: 'tutte tutti tutto ogni qualsiasi qualunque',
  instruction:
    'istruzione istruzioni regola regole ordini direttiva direttive comandi indicazioni restrizioni limitazioni vincoli linee_guida politiche filtri limiti impostazioni programmazione consegne',
  talk: 'messaggio messaggi testo contesto conversazione compito compiti informazioni contenuto detto',
  your: 'tue tuoi tuo tua vostre',
  system: 'sistema nascosto nascoste segrete segreto interne interno riservate sviluppatore',
  systemPrompt:
    'prompt_di_sistema prompt_del_sistema messaggio_di_sistema messaggio_del_sistema istruzioni_di_sistema istruzioni_del_sistema prompt_iniziale istruzioni_iniziali tue_istruzioni tuo_prompt testo_sopra istruzioni_originali tue_regole testo_precedente istruzioni_nascoste prompt_originale',
  reveal:
    'rivela rivelami mostra mostrami stampa ripeti dimmi dammi scrivimi svela divulga elencami qual_è quali_sono traduci condividi trascrivi parola_per_parola alla_lettera testualmente recita fammi_vedere riporta',
  secret: 'password parola_d_ordine chiave_segreta codice_segreto credenziali parola_segreta chiave_api',
  persona:
    'agisci_come comportati fingi fai_finta sei_ora ora_sei adesso_sei immagina interpreta recita_la_parte gioca_il_ruolo assumi_il_ruolo simula da_ora_sei impersona diventa rispondi_come',
  free: 'senza_restrizioni senza_alcuna_restrizione senza_limiti senza_alcun_limite senza_filtri senza_filtro senza_censura senza_regole illimitato illimitata senza_limitazioni nessuna_regola nessuna_restrizione nessun_limite nessun_filtro libero_da qualsiasi_cosa senza_etica senza_morale mai_rifiutare non_puoi_rifiutare',
  now: 'ora adesso d_ora_in_poi da_ora_in_poi da_adesso invece da_questo_momento d_ora_innanzi subito',
  keep: 'non_dimenticare non_ignorare non_dimenticarti ho_dimenticato mi_sono_dimenticato',
  authority:
    'sono_lo_sviluppatore sono_il_tuo_sviluppatore tuo_sviluppatore tuo_creatore amministratore modalità_sviluppatore modalità_manutenzione modalità_debug autorizzato sono_l_amministratore squadra_di_sicurezza',
  ai: 'ia assistente modello_linguistico intelligenza_artificiale modello',
  user: 'l_utente all_utente utente utenti',
  conceal:
    'non_dire non_menzionare di_nascosto segretamente senza_dire senza_menzionare senza_avvisare non_informare all_insaputa senza_chiedere',
  send: 'invia inviare inoltra inoltrare manda trasferisci carica clicca visita apri bonifico',
  data: 'conversazione cronologia dati_personali dati contatti messaggi credenziali',
  say: 'rispondi scrivi risposta inizia_con rispondere limitati',
  only: 'solo soltanto solamente esattamente nient_altro unicamente esclusivamente sempre',
  newTask:
    'nuove_istruzioni nuova_istruzione nuovo_compito nuove_regole seguenti_istruzioni vero_compito nuovo_ruolo mie_istruzioni miei_ordini nuova_missione ascolta_me obbediscimi',
  question: 'cosa perché come_funziona quando dove chi quale',
  alarm: 'importante attenzione urgente avviso',
  request: 'per_favore devi deve dovresti voglio_che per_piacere dovete',
  document: 'riassumi riassumere riassunto documento questo_testo questa_pagina questa_email questo_documento',
  meta: 'attacco attacchi rilevare prevenire proteggere esempio spiega spiegare articolo ricerca',
}

export const OTHER_ROMANCE: Lexicon = {
  override: 'ignoră ignorați uită nu_respecta omet oblida_totes anul·la omite_toate nu_lua_în_considerare',
  prior: 'anterioare precedente de_mai_sus anteriors prèvies inițiale',
  all: 'toate totes tots',
  instruction: 'instrucțiunile instrucțiuni regulile instruccions regles ordinele restricțiile',
  your: 'tale teves teus',
  systemPrompt:
    'promptul_de_sistem promptul_sistemului instrucțiunile_tale prompt_del_sistema instrucțiunile_de_sistem missatge_del_sistema',
  reveal: 'arată-mi dezvăluie afișează repetă spune-mi mostra_m revela digues_me',
  secret: 'parola parolă contrasenya',
  persona: 'prefă-te comportă-te ești_acum acum_ești actua_com',
  free: 'fără_restricții fără_limite fără_reguli sense_restriccions sense_límits fără_filtre',
  now: 'acum de_acum_înainte în_schimb a_partir_d_ara ara_ets',
  newTask: 'noi_instrucțiuni noile_instrucțiuni noves_instruccions',
  say: 'răspunde spune respon',
  only: 'doar numai només',
}
