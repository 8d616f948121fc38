/** Hindi, Bengali, Vietnamese, Indonesian and Thai words by concept. Thai words, of a script without blanks, are phrases of single characters. */
import type { Lexicon } from './concepts.ts'

export const HINDI_BENGALI: Lexicon = {
  override:
    'अनदेखा नज़रअंदाज़ नजरअंदाज अनदेखी भूल_जाओ भूल_जाइए भूल_जाएं भूल_जा भुला उपेक्षा पालन_मत पालन_न दरकिनार रद्द छोड़_दो बायपास तोड़ ध्यान_मत भूलकर উপেক্ষা ভুলে_যাও ভুলে_যান অগ্রাহ্য অমান্য',
  prior: 'पिछले पिछली पहले पूर्व उपरोक्त ऊपर मूल शुरुआती अब_तक प्रारंभिक पुराने মূল পূর্ববর্তী আগের উপরের পূর্বের',
  all: 'सभी सारे सब तमाम हर सारी কোনো সব সমস্ত সকল',
  instruction:
    'निर्देश निर्देशों नियम नियमों आदेश आदेशों दिशानिर्देश दिशानिर्देशों प्रतिबंध प्रतिबंधों सीमाओं हिदायतों हिदायतें पाबंदियों পরামর্শ নির্দেশ নির্দেশাবলী নির্দেশনা নিয়ম আদেশ প্রম্পট प्रॉम्प्ट',
  your: 'अपने अपनी अपना तुम्हारे आपके आपको तुम्हें आपकी তোমার আপনার',
  talk: 'संदेश बातचीत संदर्भ कार्य जानकारी बातें बात পাঠ্য কথোপকথন বার্তা',
  system: 'सिस्टम गुप्त छिपे आंतरिक সিস্টেম গোপন',
  systemPrompt:
    'सिस्टम_प्रॉम्प्ट सिस्टम_संदेश सिस्टम_निर्देश अपने_निर्देश मूल_निर्देश प्रारंभिक_निर्देश गुप्त_निर्देश সিস্টেম_প্রম্পট সিস্টেম_নির্দেশ',
  reveal:
    'दिखाओ दिखाइए दिखाएं बताओ बताइए बताएं प्रकट उजागर दोहराओ दोहराएं प्रिंट लिखो क्या_है क्या_हैं अनुवाद साझा शब्दशः सुनाओ खुलासा দেখাও দেখান বলো বলুন প্রকাশ পুনরাবৃত্তি',
  secret: 'पासवर्ड गुप्त_कोड कुंजी गुप्त_शब्द পাসওয়ার্ড',
  persona: 'नाटक दिखावा भूमिका अभिनय अब_तुम अब_आप कल्पना बन_जाओ रोल तरह_व्यवहार जैसे_व्यवहार ভান ভূমিকা এখন_তুমি এখন_আপনি অভিনয়',
  free: 'बिना_किसी_प्रतिबंध बिना_प्रतिबंध बिना_किसी_सीमा बिना_सेंसर असीमित बिना_किसी_नियम कोई_नियम_नहीं कोई_सीमा_नहीं कुछ_भी बिना_किसी_रोक कोई_प्रतिबंध_नहीं बिना_फ़िल्टर बिना_फिल्टर কোনো_সীমাবদ্ধতা_ছাড়া সীমাহীন কোনো_নিয়ম_ছাড়া',
  now: 'अब अब_से इसके_बजाय आगे_से तुरंत এখন এখন_থেকে পরিবর্তে',
  keep: 'मत_भूलना न_भूलें भूलना_मत भूल_गया भूल_गई',
  authority: 'डेवलपर प्रशासक व्यवस्थापक डेवलपर_मोड डिबग_मोड एडमिन अधिकृत रखरखाव_मोड ডেভেলপার অ্যাডমিন',
  ai: 'एआई सहायक भाषा_मॉडल मॉडल चैटबॉट এআই সহকারী',
  user: 'उपयोगकर्ता यूज़र यूजर ব্যবহারকারী',
  conceal: 'मत_बताना मत_बताओ चुपके गुप्त_रूप बिना_बताए না_জানিয়ে गुपचुप',
  send: 'भेजो भेजें भेज भेजिए अपलोड ट्रांसफर क्लिक পাঠাও পাঠান',
  say: 'जवाब कहो उत्तर बोलो लिखो कहिए উত্তর বলো',
  only: 'केवल सिर्फ़ सिर्फ मात्र শুধু শুধুমাত্র',
  newTask: 'नए_निर्देश नया_निर्देश नया_कार्य नए_नियम निम्नलिखित_निर्देश मेरे_निर्देश मेरे_आदेश नया_काम নতুন_নির্দেশ নতুন_নির্দেশনা',
  question: 'क्या क्यों कैसे कब कहाँ कौन কী কেন কীভাবে',
  meta: 'हमला हमले सुरक्षा उदाहरण समझाओ समझाइए लेख',
  request: 'कृपया चाहिए जरूर',
}

export const SOUTH_EAST_ASIAN: Lexicon = {
  override:
    'abaikan lupakan langgar kesampingkan jangan_ikuti jangan_patuhi hiraukan bỏ_qua quên_đi phớt_lờ quên_hết quên_tất hãy_quên không_tuân đừng_tuân vượt_qua balewalain kalimutan huwag_sundin puuza sahau usifuate ละเว้น เพิกเฉย ลืม ไม่ต้องทำตาม ไม่สนใจ ข้าม อย่าทำตาม',
  prior:
    'sebelumnya di_atas awal terdahulu sebelum_ini trước trước_đó bên_trên ở_trên ban_đầu phía_trên nakaraang naunang zilizopita yaliyotangulia ก่อนหน้า ก่อนหน้านี้ ข้างต้น เดิม ที่ผ่านมา ด้านบน',
  all: 'semua seluruh segala tất_cả mọi lahat yote zote ทั้งหมด ทุก',
  instruction:
    'instruksi perintah aturan arahan petunjuk batasan pedoman hướng_dẫn chỉ_dẫn lệnh quy_tắc chỉ_thị hạn_chế tagubilin utos patakaran maagizo maelekezo sheria คำสั่ง คำแนะนำ กฎ ข้อจำกัด ข้อกำหนด',
  your: 'kamu anda của_bạn iyong yako ของคุณ',
  talk: 'pesan konteks percakapan tugas tin_nhắn ngữ_cảnh nhiệm_vụ nội_dung ข้อความ บทสนทนา',
  system: 'sistem hệ_thống rahasia bí_mật ระบบ',
  systemPrompt:
    'prompt_sistem pesan_sistem instruksi_sistem lời_nhắc_hệ_thống prompt_hệ_thống hướng_dẫn_hệ_thống lệnh_hệ_thống system_prompt_mo คำสั่งระบบ พรอมต์ระบบ instruksi_awal',
  reveal:
    'tampilkan tunjukkan ungkapkan beritahu cetak ulangi bocorkan hiển_thị tiết_lộ cho_tôi_biết cho_tôi_xem in_ra lặp_lại nói_cho ipakita sabihin ibunyag onyesha niambie fichua แสดง เปิดเผย บอก พิมพ์ ทวน',
  secret: 'kata_sandi sandi mật_khẩu nenosiri รหัสผ่าน ความลับ',
  persona:
    'berpura-pura bertindak_sebagai bertindaklah berperan kamu_sekarang anda_sekarang sekarang_kamu sekarang_anda đóng_vai giả_vờ bây_giờ_bạn hãy_đóng magpanggap kunwari jifanye สวมบทบาท แกล้งทำ ตอนนี้คุณคือ ทำตัวเป็น',
  free: 'tanpa_batasan tanpa_batas tanpa_sensor tanpa_filter tanpa_aturan tidak_terbatas không_giới_hạn không_có_giới_hạn không_hạn_chế không_bị_hạn_chế không_kiểm_duyệt không_có_quy_tắc walang_limitasyon bila_vikwazo ไม่มีข้อจำกัด ไม่จำกัด ไร้ขีดจำกัด ไม่มีกฎ',
  now: 'sekarang mulai_sekarang sebagai_gantinya mulai_saat_ini bây_giờ từ_bây_giờ thay_vào_đó ngayon sasa badala_yake ตอนนี้ ตั้งแต่นี้ไป แทน จากนี้',
  keep: 'jangan_lupa jangan_abaikan đừng_quên อย่าลืม',
  authority:
    'saya_pengembang pengembang administrator mode_pengembang nhà_phát_triển quản_trị_viên chế_độ_nhà_phát_triển ผู้ดูแลระบบ โหมดนักพัฒนา ผู้พัฒนา',
  ai: 'asisten model_bahasa trợ_lý mô_hình_ngôn_ngữ ผู้ช่วย',
  conceal: 'jangan_beri_tahu diam-diam jangan_sebutkan đừng_nói âm_thầm อย่าบอก',
  send: 'kirim kirimkan gửi chuyển_tiếp ipadala tuma ส่ง',
  say: 'jawab katakan trả_lời nói sagutin jibu sema ตอบ พูด',
  only: 'hanya cuma chỉ lamang เท่านั้น',
  newTask:
    'instruksi_baru tugas_baru perintah_baru hướng_dẫn_mới nhiệm_vụ_mới chỉ_thị_mới bagong_utos maagizo_mapya คำสั่งใหม่ งานใหม่',
  question: 'apa mengapa bagaimana kapan tại_sao như_thế_nào อะไร ทำไม อย่างไร',
}
