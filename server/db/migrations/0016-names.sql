-- Names that people tell apart by eye: those of workspaces, teams, roles, projects and keys (ruling
-- 1.16, decision 17). api/http/input/names.ts has the same rules; a test compares the two over all
-- of Unicode. Nothing here depends on a collation of ICU or of the operating system, so that every
-- server finds the same names equal.

-- Whether a text can be such a name. It is written in PL/pgSQL because a function in SQL would be
-- inlined into every statement, which costs more than the check. It is looser than the API in two
-- respects: joiners may follow any character outside ASCII, and unassigned code points may pass.
create function is_name(name text) returns boolean language plpgsql immutable parallel safe as $$
declare
  given text collate "C" := name;
begin
  if octet_length(given) = length(given) then return given ~ '^[!-~]([ -~]*[!-~])?$'; end if;
  -- Control, format and private-use characters, noncharacters, blank symbols, and characters that
  -- are newer than Unicode 14 and are changed by case folding or normalization.
  if given ~ '[\u0001-\u001F\u007F-\u009F\u00AD\u034F\u061C\u0897\u115F\u1160\u17B4\u17B5'
            '\u180B-\u180F\u1ACF-\u1AEB\u1C89\u1C8A\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F'
            '\u2800\u3164\uA7CB-\uA7CF\uA7D2\uA7D4\uA7DA-\uA7F1\uE000-\uF8FF\uFDD0-\uFDEF'
            '\uFE00-\uFE0D\uFEFF\uFFA0\uFFF0-\uFFFC\uFFFE\uFFFF\U000105C9\U000105D2\U000105DA'
            '\U000105E4\U00010D50-\U00010D85\U00010EFA-\U00010EFF\U00011382-\U000113D0'
            '\U00011F41\U00011F42\U00013430-\U0001343F\U00013441\U00013442\U0001611E-\U0001612F'
            '\U00016D63-\U00016D6A\U00016EA0-\U00016ED3\U0001BCA0-\U0001BCA3'
            '\U0001CCD6-\U0001CCF9\U0001D159\U0001D173-\U0001D17A\U0001E030-\U0001E08F'
            '\U0001E4EC-\U0001E4EF\U0001E5EE\U0001E5EF\U0001E6E3-\U0001E6F5\U0001FFFE\U0001FFFF'
            '\U0002FFFE\U0002FFFF\U0003FFFE-\U000E001F\U000E0080-\U0010FFFF]' then
    return false;
  end if;
  -- A joiner or a variation selector at the start or after ASCII, except in a keycap.
  if given ~ '(^|[ -~])([\u200C\u200D\uFE0E\U000E0020-\U000E007F]|\uFE0F(?!\u20E3))' then
    return false;
  end if;
  -- A space at either end.
  if given ~ '^[ \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]'
    or given ~ '[ \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]$' then return false;
  end if;
  -- Something other than spaces, joiners and variation selectors.
  return given ~ '[^ \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000\u200C\u200D\uFE0E\uFE0F'
                 '\U000E0020-\U000E007F]';
end $$;

-- The same text for two names that people would take for the same: full case folding of the
-- compatibility decomposition, without joiners and variation selectors, with single spaces. The
-- pairs of letters are those of the case folding of Unicode 14, the version of PostgreSQL 15; later
-- versions fold these letters alike.
create function name_key(name text) returns text language plpgsql immutable parallel safe as $$
declare
  key text collate "C" := name;
begin
  if octet_length(key) = length(key) then
    key := lower(key);
  else
    key := normalize(regexp_replace(key, '[\u200C\u200D\uFE0E\uFE0F]', '', 'g'), nfkd);
    -- With this collation `lower` changes ASCII alone, which most Latin letters are decomposed to.
    key := lower(key);
    if key ~ '[^ -~\u0300-\u0344]' then
      key := replace(translate(key,
        U&'ÆÐØÞĐĦŁŊŒŦƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƢƤƦƧƩƬƮƱƲƳƵƷƸƼǤǶǷȜȠȢȤȺȻȽȾɁɃɄɅɆɈɊɌɎ\+000345ͰͲͶͿΑΒΓΔ'
          'ΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςϏϘϚϜϞϠϢϤϦϨϪϬϮϷϺϽϾϿЂЄЅІЈЉЊЋЏАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠ'
          'ѢѤѦѨѪѬѮѰѲѴѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӃӅӇӉӋӍӔӘӠӨӶӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬ'
          'ԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍᏸ'
          'ᏹᏺᏻᏼᏽᲀᲁᲂᲃᲄᲅᲆᲇᲈᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿỺỼỾℲↃⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎ'
          'ⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾ'
          'ⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎ'
          'ꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟐꟖꟘꟵꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿ'
          'ꮀꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏'
          '𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄'
          '𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕\+010C80\+010C81\+010C82\+010C83\+010C84\+010C85\+010C86\+010C87'
          '\+010C88\+010C89\+010C8A\+010C8B\+010C8C\+010C8D\+010C8E\+010C8F\+010C90\+010C91'
          '\+010C92\+010C93\+010C94\+010C95\+010C96\+010C97\+010C98\+010C99\+010C9A\+010C9B'
          '\+010C9C\+010C9D\+010C9E\+010C9F\+010CA0\+010CA1\+010CA2\+010CA3\+010CA4\+010CA5'
          '\+010CA6\+010CA7\+010CA8\+010CA9\+010CAA\+010CAB\+010CAC\+010CAD\+010CAE\+010CAF'
          '\+010CB0\+010CB1\+010CB2𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗'
          '𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟\+01E900\+01E901\+01E902\+01E903\+01E904\+01E905\+01E906\+01E907\+01E908'
          '\+01E909\+01E90A\+01E90B\+01E90C\+01E90D\+01E90E\+01E90F\+01E910\+01E911\+01E912'
          '\+01E913\+01E914\+01E915\+01E916\+01E917\+01E918\+01E919\+01E91A\+01E91B\+01E91C'
          '\+01E91D\+01E91E\+01E91F\+01E920\+01E921ẞ',
        U&'æðøþđħłŋœŧɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵƣƥʀƨʃƭʈʊʋƴƶʒƹƽǥƕƿȝƞȣȥⱥȼƚⱦɂƀʉʌɇɉɋɍɏιͱͳͷϳαβγδεζηθικλ'
          'μνξοπρστυφχψωσϗϙϛϝϟϡϣϥϧϩϫϭϯϸϻͻͼͽђєѕіјљњћџабвгдежзиклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯ'
          'ѱѳѵѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӄӆӈӊӌӎӕәӡөӷӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզ'
          'էըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭᏰᏱᏲᏳᏴᏵвд'
          'осттъѣꙋაბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿỻỽỿⅎↄⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅ'
          'ⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟⱡɫᵽɽⱨⱪⱬɑɱɐɒⱳⱶȿɀⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍ'
          'ⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꚙꚛꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝ'
          'ꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬɪʞʇʝꭓꞵꞷꞹꞻꞽꞿꟁꟃꞔʂᶎꟈꟊꟑꟗꟙꟶᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰᎱᎲᎳᎴᎵᎶ'
          'ᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾'
          '𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗𐖘𐖙𐖚𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳'
          '𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼\+010CC0\+010CC1\+010CC2\+010CC3\+010CC4\+010CC5\+010CC6\+010CC7\+010CC8'
          '\+010CC9\+010CCA\+010CCB\+010CCC\+010CCD\+010CCE\+010CCF\+010CD0\+010CD1\+010CD2'
          '\+010CD3\+010CD4\+010CD5\+010CD6\+010CD7\+010CD8\+010CD9\+010CDA\+010CDB\+010CDC'
          '\+010CDD\+010CDE\+010CDF\+010CE0\+010CE1\+010CE2\+010CE3\+010CE4\+010CE5\+010CE6'
          '\+010CE7\+010CE8\+010CE9\+010CEA\+010CEB\+010CEC\+010CED\+010CEE\+010CEF\+010CF0'
          '\+010CF1\+010CF2𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊𑣋𑣌𑣍𑣎𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿'
          '\+01E922\+01E923\+01E924\+01E925\+01E926\+01E927\+01E928\+01E929\+01E92A\+01E92B'
          '\+01E92C\+01E92D\+01E92E\+01E92F\+01E930\+01E931\+01E932\+01E933\+01E934\+01E935'
          '\+01E936\+01E937\+01E938\+01E939\+01E93A\+01E93B\+01E93C\+01E93D\+01E93E\+01E93F'
          '\+01E940\+01E941\+01E942\+01E943ß'), 'ß', 'ss');
    end if;
    key := normalize(key, nfkc);
  end if;
  return regexp_replace(key, ' +', ' ', 'g');
end $$;

-- New names must be such from here on. The next migration looks at those that are there.
alter table organization add constraint organization_name_is_name check (is_name(name)) not valid;
alter table team add constraint team_name_is_name check (is_name(name)) not valid;
alter table role add constraint role_name_is_name check (is_name(name)) not valid;
alter table project add constraint project_name_is_name check (is_name(name)) not valid;
alter table api_key add constraint api_key_name_is_name check (is_name(name)) not valid;
