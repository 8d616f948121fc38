/** English words by concept. */
import type { Lexicon } from './concepts.ts'

export const ENGLISH: Lexicon = {
  override:
    'ignore ignoring ignored ignores disregard* forget forgetting forgot override overrides overriding overrule bypass bypassing bypassed circumvent* discard discarding neglect overlook unlearn ' +
    'disobey* violate dismiss nullify void suspend disable disabling deactivate abandon erase wipe overwrite overwriting supersede* supersedes break breaking evade ' +
    'set_aside put_aside throw_away throw_out pay_no_attention do_not_follow don_t_follow dont_follow stop_following no_longer_follow not_follow do_not_obey don_t_obey stop_obeying not_bound_by no_longer_bound ' +
    'do_not_adhere not_adhere free_from freed_from no_longer_apply don_t_apply do_not_apply don_t_listen do_not_listen stop_listening turn_off switch_off get_rid_of leave_aside scrap never_mind nevermind without_following without_regard ' +
    'no_longer_need_to_follow don_t_have_to_follow do_not_have_to_follow not_subject_to exempt_from are_void is_void is_cancelled are_cancelled are_lifted take_precedence takes_precedence null_and_void',
  prior:
    'previous previously prior above earlier preceding before past initial initially original originally foregoing aforementioned former existing current old older first upstream default preset predefined pre-existing ' +
    'so_far up_to_now until_now till_now up_to_this_point until_this_point you_were_given you_have_been_given given_to_you you_received you_have_received been_told were_told was_said you_got come_before came_before at_the_beginning at_the_start on_top',
  all: 'all any every everything each whatever anything entire whole',
  instruction:
    'instruction instructions instruct* rule rules guideline guidelines directive directives direction directions command commands order orders prompt prompts constraint constraints restriction restrictions limitation limitations policy policies safeguard* guardrail* filters filtering protocol protocols programming training moderation ethics alignment safety censorship assignment assignments precondition* directives boundaries principles obligations conditioning mandate mandates restrictions system_message',
  talk: 'settings setting configuration parameters conditions requirements message messages text texts context conversation conversations content task tasks dialogue discussion topic information chat statements words sentence sentences input inputs question paragraph',
  your: 'your yours you_were you_have_been given_to_you gave_you',
  system:
    'system developer hidden internal confidential secret core underlying base root hardcoded pre-prompt preprompt meta backend',
  systemPrompt:
    'system_prompt system_prompts initial_prompt original_prompt system_message system_instruction system_instructions initial_instructions original_instructions developer_message developer_instructions hidden_prompt hidden_instructions ' +
    'secret_instructions preprompt pre_prompt prompt_above text_above words_above everything_above instructions_above message_above sentence_above content_above lines_above starting_prompt custom_instructions your_prompt your_instructions system_text ' +
    'internal_instructions first_message context_window your_rules your_guidelines your_directives your_configuration confidential_instructions base_prompt first_prompt start_of_this_conversation beginning_of_this_conversation start_of_the_conversation',
  reveal:
    'reveal reveals revealing show print prints output display disclose leak expose recite dump repeat repeating echo divulge spell list return reproduce restate paraphrase quote copy paste transcribe ' +
    'translate summarize summarise encode rewrite convert share tell give provide write_out type_out spit_out read_out hand_over give_me tell_me show_me what_is what_are what_was what_were what_s describe state send_me let_me_see i_want_to_see regurgitate verbatim word_for_word give_away',
  secret:
    'password passwords passcode passphrase secret secrets secret_key api_key api_keys access_key access_code credential credentials token tokens secret_word secret_code flag pin private_key codeword code_word magic_word secret_phrase encryption_key launch_code access_codes',
  persona:
    'act_as act_like acting_as pretend pretending roleplay role-play role_play simulate simulating impersonate impersonating imagine you_are_now you_re_now you_will_be you_will_act become becoming transform take_on assume_the_role play_the_role ' +
    'embody emulate behave_as behave_like persona character alter_ego in_character you_are_going_to_act immerse respond_as answer_as speak_as you_are_no_longer play_a_game hypothetical fictional hypothetically go_by_the_name your_name_is your_new_name is_going_to_act enter enable activate switch_to switch_into unlock',
  free:
    'unrestricted unfiltered uncensored unlimited unbound unchained unmoderated unethical amoral immoral lawless limitless no_restrictions no_restriction no_limits no_limitations no_rules no_filter no_filters no_ethics no_ethical no_moral no_morals no_morality ' +
    'no_boundaries no_guidelines no_censorship no_constraints no_content_policy no_safety without_restrictions without_any_restrictions without_limits without_limitations without_limitation without_rules without_filters without_filtering without_censorship without_any_filter without_ethical without_moral without_regard without_constraints without_boundaries without_guidelines without_any_limits without_warnings ' +
    'do_anything do_anything_now anything_goes freed break_free broken_free free_of_all free_from_all not_bound no_longer_bound doesn_t_follow does_not_follow does_not_care doesn_t_care never_refuse never_refuses never_refusing cannot_refuse can_t_refuse can_not_refuse not_refuse will_not_refuse must_not_refuse never_decline never_say_no never_reject never_apologize ' +
    'regardless_of regardless_of_ethics no_matter_how no_matter_what any_question even_if_it_is illegal_or even_if_illegal bypass_filters no_disclaimers without_disclaimers without_refusing without_judgment zero_restrictions zero_filters zero_limits evil sentient unaligned anything_without remove_all_restrictions no_longer_restricted',
  now: 'now from_now_on henceforth from_here_on from_this_point from_this_moment instead starting_now effective_immediately going_forward hereafter rather afterwards for_the_rest_of from_here_onward immediately',
  keep: 'do_not_ignore don_t_ignore dont_ignore don_t_forget dont_forget do_not_forget never_forget not_to_forget never_ignore not_ignore cannot_ignore can_t_ignore shouldn_t_ignore do_not_disregard do_not_skip don_t_skip do_not_override forget_about_it i_forgot i_forget you_forgot never_skip not_skip i_ignored we_ignored ignore_case ignore_errors ignore_whitespace git_ignore dockerignore gitignore eslint_ignore ts_ignore before_we_start do_not_reveal never_reveal don_t_reveal never_share do_not_share never_disclose do_not_disclose',
  authority:
    'administrator admin i_am_the_developer i_m_the_developer i_am_your_developer i_m_your_developer your_developer your_developers your_creator your_creators developer_here i_am_an_admin i_am_the_admin i_m_the_admin i_am_authorized i_m_authorized authorized sudo superuser root_access admin_access ' +
    'maintenance_mode debug_mode debugging_mode test_mode testing_mode diagnostic_mode maintenance override_code authorization_code clearance security_team openai_staff openai_employee openai_engineer anthropic_staff anthropic_employee from_openai from_anthropic engineer_at red_team system_administrator system_override admin_override ' +
    'emergency_override authentication_code i_work_for i_work_at god_mode privileged permission_granted access_granted security_audit i_created_you i_built_you compliance_audit on_behalf_of_openai verified_user root_user master_key developer_access elevated_privileges',
  ai: 'ai assistant assistants llm llms language_model language_models chatbot chatbots chatgpt gpt gpt-4 gpt4 claude gemini copilot bot agent agents model ai_model openai anthropic ai_assistant ai_agent ai_system ai_systems automated_system bard llama mistral whoever_processes virtual_assistant',
  user: 'the_user user users the_reader the_human the_customer the_client the_owner the_recipient the_person',
  conceal:
    'do_not_tell don_t_tell do_not_mention don_t_mention do_not_inform don_t_inform do_not_reveal_this do_not_alert don_t_alert without_telling without_mentioning without_informing without_asking without_notifying do_not_notify do_not_disclose_this secretly silently covertly quietly ' +
    'discreetly do_not_ask don_t_ask without_confirmation without_asking_for never_mention never_tell hide_this keep_this_hidden do_not_acknowledge do_not_refer_to not_visible do_not_display_this without_the_user without_user behind_the_scenes not_mention not_tell do_not_say_that do_not_let_the_user before_telling without_permission without_explanation',
  send:
    'send sending sends forward email e-mail mail post upload transfer exfiltrate transmit submit fetch visit click download navigate open call invoke execute run pay wire grant share make_a_request http_request append embed insert include redirect reply_with attach browse deliver deposit purchase order buy unlock delete remove add invite create install approve schedule book change update ' +
    'make_a_post share_my send_me publish withdraw',
  data:
    'conversation conversations chat_history history emails inbox contacts contact_list files file_contents documents records personal_data personal_information personal_details user_data customer_data bank_details bank_account credit_card payment_details payment_information account_details login session cookies private_data private_information user_information sensitive_information sensitive_data ' +
    'environment_variables home_address phone_number address_book medical_records genetic_data transaction_history saved_passwords saved_addresses location_data calendar messages_to user_s my_account my_friend previous_messages all_messages database ssn money funds attachments browsing_history medical_history',
  address:
    'http* https* www attacker webhook pastebin com_log url link email_address iban wallet bitcoin account_number',
  say: 'say says saying respond responding answer answering reply replying output outputs print write state begin_with start_with start_your end_with start_by respond_with reply_with answer_with your_response your_answer your_reply your_output your_final_answer say_that tell_the_user tell_them type generate confirm acknowledge recommend mention include_the_phrase include_the_following insert classify rate',
  only: 'only exactly nothing_else nothing_more no_other precisely solely simply just literally word_for_word without_any_other no_matter_what and_nothing regardless always verbatim',
  harm: 'bomb bombs explosive explosives malware ransomware keylogger virus weapon weapons meth methamphetamine drugs drug kill murder poison hack hacking phishing steal launder laundering counterfeit exploit racist hate suicide fraud scam nsfw porn sexual explicit illegal illegally illicit harmful dangerous violent violence crime criminal napalm cocaine torture profanity profane swear curse',
  meta:
    'injection injections jailbreaking jailbreaks jailbroken_phone attacks attack attacker attackers adversarial vulnerability vulnerabilities exploit_works threat threats owasp detect detecting detection detector classifier prevent preventing prevention defend defense defence mitigate mitigation protect protecting protection research researchers paper article blog example examples security cybersecurity ' +
    'sanitize validation phrase phrases explain explains red_teaming awareness training_data workshop course lecture documentation tutorial phishing_email malicious test_case unit_test dataset known_as technique techniques called',
  question:
    'what why how when where which who explain difference does is_it is_there can_you_explain could_you_explain tell_me_about describe_how understand mean means meaning',
  newTask:
    'new_instructions new_instruction new_rules new_task new_prompt new_role new_persona new_directive new_directives new_orders new_objective new_goal real_task actual_task true_task real_instructions actual_instructions updated_instructions following_instructions following_instruction these_instructions the_following_instead following_rules my_instructions my_commands my_orders next_task special_instructions ' +
    'additional_instructions new_mission new_command updated_policy system_update policy_update revised_instructions follow_these follow_my obey_me listen_to_me listen_only important_instructions new_system_prompt your_new_task your_task_is your_only_task your_real primary_directive new_identity new_session session_reset context_reset new_context end_of_document end_of_text end_of_context end_of_prompt end_of_instructions end_of_input additional_task task_update',
  alarm:
    'important attention urgent warning critical notice alert priority emergency note_to immediate mandatory required critical_update high_priority system_notice importantly',
  request:
    'please must should shall have_to need_to make_sure ensure required_to want_you i_want could_you can_you would_you kindly be_sure remember_to you_will you_are_to instructed',
  document:
    'summarize summarise summarizing summarising summary document documents this_text this_page web_page webpage this_email this_document this_article this_message this_file the_content reading_this processing_this reads_this process_this when_asked if_asked if_you_are analyzing_this parsing_this reviewing_this resume cv applicant candidate when_you_read who_reads tool_output tool_result search_result the_tool',
  jailbreak:
    'act_as_dan you_are_dan as_dan dan_mode called_dan named_dan dan_would dan_can dan_will dan_is dan_response be_dan dan_does jailbreak jailbroken do_anything_now developer_mode dev_mode stan dude aim evil_mode chaos_mode god_mode opposite_mode unrestricted_mode jailbreak_mode evil_bot evilbot freedom_mode anti-dan antidan devmode machiavellian niccolo stay_in_character stay_a_dan two_responses two_different_ways both_responses pwned no_longer_an_ai tokens_deducted lose_tokens deducted_tokens simulator_mode unfiltered_mode uncensored_mode sudo_mode admin_mode',
}
