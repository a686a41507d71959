-- The schema of version 0.1.0. Rules live here first: what a constraint can refuse, no code has to.
-- The functions and views that may change with each version are in views/.

create extension if not exists pg_trgm;

-- The role of the server --------------------------------------------------------------------------

-- It owns nothing and cannot change history. Roles belong to the whole PostgreSQL server, so it may
-- be there already.
do $$
begin
  if not exists (select from pg_roles where rolname = 'guildhall_app') then
    create role guildhall_app nologin;
  end if;
  if not pg_has_role(current_user, 'guildhall_app', 'member') then
    execute format('grant guildhall_app to %I', current_user);
  end if;
exception
  when duplicate_object or unique_violation then
    execute format('grant guildhall_app to %I', current_user);
  when insufficient_privilege then
    raise exception 'this login may not make the role guildhall_app: let an administrator run  create role guildhall_app; grant guildhall_app to %;', quote_ident(current_user)
      using errcode = 'raise_exception';
end $$;
grant usage on schema public to guildhall_app;
-- The server needs no temporary tables at all.
do $$ begin
  execute format('revoke temporary on database %I from public, guildhall_app', current_database());
end $$;

-- Names that people tell apart by eye -------------------------------------------------------------

-- Those of workspaces, teams, roles, projects and keys (ruling 1.16, decision 17).
-- server/http/input/names.ts has the same rules; a test compares the two over all of Unicode.
-- Nothing here depends on a collation of ICU or of the operating system, so that every server finds
-- the same names equal.

-- It is written in PL/pgSQL because a function in SQL would be inlined into every statement, which
-- costs more than the check. It is looser than the API in two respects: joiners may follow any
-- character outside ASCII, and unassigned code points may pass.
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
comment on function is_name(text) is
  'Whether a text can be a name that people tell apart by eye (ruling 1.16).';

-- Full case folding of the compatibility decomposition, without joiners and variation selectors,
-- with
-- single spaces. The pairs of letters are those of the case folding of Unicode 14, the version of
-- PostgreSQL 15; later versions fold these letters alike.
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
comment on function name_key(text) is
  'Equal for two names that people would take for the same: indexes use it, so its results never change.';

create function is_branch_name(name text) returns boolean
  language sql immutable strict parallel safe
  return octet_length(name) between 1 and 200
     and name !~ '[\x01-\x20\x7f~^:?*\[\\]|\.\.|//|@\{|(^|/)\.|\.lock(/|$)|[./]$|^[-/]|^@$';
comment on function is_branch_name(text) is
  'Whether a text can name a branch: the rules of git check-ref-format, within 200 bytes, and no leading hyphen.';

-- The rules of `git check-ref-format --branch`, no full references, and what holds for every name.
create function is_chosen_branch(name text) returns boolean
  language sql immutable strict parallel safe
  return is_branch_name(name) and name !~ '^(HEAD$|refs/)' and is_name(name);
comment on function is_chosen_branch(text) is
  'Whether people can choose a branch by this name: one that git takes and that can be told apart by eye.';

-- lower() by itself takes a capital I with a dot for an i in some databases, and depends on their
-- collation.
create function mailbox(address text) returns text
  language sql immutable parallel safe
  return lower(address collate "C");
comment on function mailbox(text) is
  'What an address is compared by: two with the same mailbox belong to one person.';

-- Functions that tables name ----------------------------------------------------------------------

-- Placeholders: views/ has their text, which is applied after this file.
create function uuid_v7() returns uuid language sql as 'select gen_random_uuid()';
do $$
declare
  name text;
begin
  foreach name in array array[
    'add_teams_to_new_project', 'add_usage_to_day', 'begin_repository',
    'check_erp_instance_transition', 'check_hold', 'check_passkey_counter',
    'check_pod_transition', 'check_role_belongs', 'check_session_change', 'check_settled_total',
    'check_task_transition', 'check_top_up_transition', 'check_usage_event',
    'count_erp_instance_time', 'count_pod_time', 'count_stored_files', 'end_card_shares',
    'end_overrides', 'end_production_write', 'end_spend_limits', 'hash_plan_revision',
    'hold_lets_go', 'hold_reserves', 'keep_columns', 'note_invoice_due', 'number_invoice',
    'open_billing_account', 'open_billing_details', 'pause_new_turn', 'pause_turns', 'place_plan',
    'place_spend_limit_warning', 'post_to_account', 'queue_security_notice', 'refuse_change',
    'refuse_change_of_plan', 'touch_task']
  loop
    execute format(
      'create function %I() returns trigger language plpgsql as ''begin return new; end''', name);
  end loop;
end $$;

-- People, and how they sign in --------------------------------------------------------------------

create table app_user (
  id            uuid primary key default gen_random_uuid(),
  email         text not null
    check (email = btrim(email) and position('@' in email) > 1 and length(email) <= 320),
  name          text check (length(name) between 1 and 200),
  is_active     boolean not null default true,
  two_factor    boolean not null default false,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  mail_warnings boolean not null default true
);
comment on table app_user is 'A person with an email address. Deactivated, never deleted.';
comment on column app_user.two_factor is 'Whether the person has set up a second factor.';
comment on column app_user.mail_warnings is
  'Whether warnings about balances are sent to them by mail, of their own and of workspaces that they administer.';
-- Substring search in names and addresses.
create index app_user_name_search on app_user using gin (lower(name) gin_trgm_ops);
create index app_user_email_search on app_user using gin (lower(email) gin_trgm_ops);
create unique index app_user_mailbox on app_user (mailbox(email));
create trigger app_user_opens_account after insert on app_user
  for each row execute function open_billing_account();
grant select, insert, update on app_user to guildhall_app;

create table api_key (
  id              uuid primary key default gen_random_uuid(),
  user_id         uuid not null references app_user,
  name            text not null check (length(name) between 1 and 100),
  secret_hash     bytea not null unique check (octet_length(secret_hash) = 32),
  created_at      timestamptz not null default now(),
  expires_at      timestamptz,
  revoked_at      timestamptz,
  last_used_at    timestamptz,
  read_only       boolean not null default false,
  organization_id uuid,
  constraint api_key_name_is_name check (is_name(name))
);
comment on table api_key is 'A personal API key. Revoked, never deleted.';
comment on column api_key.secret_hash is
  'The SHA-256 of the key, so that a stolen table opens nothing.';
comment on column api_key.last_used_at is 'Written in batches, so a little late.';
comment on column api_key.read_only is 'The key may only read.';
comment on column api_key.organization_id is 'The key opens this workspace alone.';
create index api_key_user on api_key (user_id);
create trigger api_key_stays before update of id, user_id, secret_hash, created_at on api_key
  for each row execute function keep_columns('id', 'user_id', 'secret_hash', 'created_at');
create trigger api_key_stays_revoked before update of revoked_at on api_key
  for each row when (old.revoked_at is not null) execute function keep_columns('revoked_at');
grant select, insert, update on api_key to guildhall_app;

create table session (
  id           uuid primary key default gen_random_uuid(),
  user_id      uuid not null references app_user,
  token_hash   bytea not null unique check (octet_length(token_hash) = 32),
  pending      boolean not null default true,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz not null,
  ended_at     timestamptz,
  proven_at    timestamptz,
  last_seen_at timestamptz,
  user_agent   text check (length(user_agent) <= 300),
  network      text check (length(network) between 1 and 64),
  constraint session_expires_after_it_begins check (expires_at > created_at)
);
comment on table session is
  'A sign-in of a browser. The cookie holds the token; the table, its SHA-256.';
comment on column session.pending is
  'The second factor is still missing: the session opens nothing.';
comment on column session.proven_at is
  'When its person last proved who they are, with every factor that they have.';
comment on column session.user_agent is 'What the browser called itself when it signed in.';
comment on column session.network is
  'The IPv4 address or /64 network of IPv6 that it signed in from.';
create index session_of_user on session (user_id);
create trigger session_stays
  before update of id, user_id, created_at, user_agent, network on session
  for each row execute function keep_columns(
    'id', 'user_id', 'created_at', 'user_agent', 'network');
create trigger session_changes before update of token_hash, pending, proven_at, ended_at on session
  for each row execute function check_session_change();
grant select, insert, update on session to guildhall_app;

create table sign_in_link (
  id         uuid primary key default gen_random_uuid(),
  user_id    uuid references app_user,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at   timestamptz,
  session_id uuid references session unique,
  purpose    text not null default 'sign_in' check (purpose in ('sign_in', 'sign_up', 'reset')),
  email      text,
  constraint sign_in_link_ends_when_used check (session_id is null or ended_at is not null),
  constraint sign_in_link_expires_after_it_begins check (expires_at > created_at),
  constraint sign_in_link_is_for_one
    check ((purpose = 'sign_up') = (user_id is null)
           and (purpose = 'sign_up') = (email is not null))
);
comment on table sign_in_link is
  'A link that signs one person in, once. The link holds the token; the table, its SHA-256.';
comment on column sign_in_link.ended_at is
  'When it was used, was replaced by a newer link, or its user was deactivated.';
comment on column sign_in_link.session_id is 'The session that it began.';
comment on column sign_in_link.purpose is
  '`sign_in` begins a session, `sign_up` makes a user, `reset` sets a password first.';
comment on column sign_in_link.email is 'The address that signs up: there is no user yet.';
create index sign_in_link_of_user on sign_in_link (user_id);
create unique index sign_in_link_open on sign_in_link (user_id, purpose) where ended_at is null;
create unique index sign_in_link_of_mailbox
  on sign_in_link (mailbox(email)) where ended_at is null and purpose = 'sign_up';
create trigger sign_in_link_stays
  before update of id, user_id, token_hash, created_at, expires_at, purpose, email on sign_in_link
  for each row execute function keep_columns(
    'id', 'user_id', 'token_hash', 'created_at', 'expires_at', 'purpose', 'email');
grant select, insert, update on sign_in_link to guildhall_app;

create table password (
  user_id uuid primary key references app_user,
  phc     text not null check (phc like '$argon2id$%' and length(phc) <= 300),
  set_at  timestamptz not null default now()
);
comment on table password is
  'The passwords of people, hashed by Argon2id in the PHC string format.';
grant select, insert, update, delete on password to guildhall_app;

create table totp (
  user_id      uuid primary key references app_user,
  secret       bytea not null,
  created_at   timestamptz not null default now(),
  confirmed_at timestamptz,
  last_step    bigint not null default 0,
  key_id       text check (length(key_id) = 16)
);
comment on table totp is
  'An authenticator app of a person: a factor once its first code was confirmed.';
comment on column totp.secret is
  'AES-256-GCM by a key that is derived from the server''s secret: nonce, ciphertext and tag.';
comment on column totp.last_step is
  'The time step of the last code that was accepted: neither it nor an earlier one works again.';
comment on column totp.key_id is
  'Which key of the servers opens the secret; null if it was not noted, and any may.';
grant select, insert, update, delete on totp to guildhall_app;

create table recovery_code (
  id         uuid primary key default gen_random_uuid(),
  user_id    uuid not null references app_user,
  code_hash  bytea not null unique check (octet_length(code_hash) = 32),
  created_at timestamptz not null default now(),
  used_at    timestamptz,
  key_id     text check (length(key_id) = 16)
);
comment on table recovery_code is
  'Codes that stand in for a lost second factor, each once. The table has their SHA-256.';
comment on column recovery_code.key_id is
  'Which key of the servers made the hash; null if it was not noted.';
create index recovery_code_of_user on recovery_code (user_id);
grant select, insert, update, delete on recovery_code to guildhall_app;

create table passkey (
  id            uuid primary key default gen_random_uuid(),
  user_id       uuid not null references app_user,
  credential_id bytea not null check (octet_length(credential_id) between 1 and 1023),
  public_key    bytea not null check (octet_length(public_key) between 1 and 2048),
  counter       bigint not null check (counter >= 0),
  transports    text[] not null,
  backed_up     boolean not null,
  name          text not null check (length(name) between 1 and 100),
  created_at    timestamptz not null default now(),
  last_used_at  timestamptz,
  constraint passkey_name_is_name check (is_name(name))
);
comment on table passkey is 'A credential of WebAuthn with which a person signs in.';
comment on column passkey.public_key is 'In COSE.';
comment on column passkey.counter is
  'How often its device has signed. One that goes back is a copy; devices that do not count send 0.';
comment on column passkey.backed_up is 'Whether it is kept in more than one device.';
-- Named like the error that it is answered with.
create unique index passkey_known on passkey (credential_id);
create index passkey_of_user on passkey (user_id, created_at);
create trigger passkey_stays
  before update of id, user_id, credential_id, public_key, created_at on passkey
  for each row execute function keep_columns(
    'id', 'user_id', 'credential_id', 'public_key', 'created_at');
create trigger passkey_counter before update of counter on passkey
  for each row execute function check_passkey_counter();
grant select, insert, update, delete on passkey to guildhall_app;

create table passkey_challenge (
  challenge  bytea primary key check (octet_length(challenge) = 32),
  purpose    text not null check (purpose in ('register', 'sign_in', 'second_factor', 'proof')),
  session_id uuid references session,
  expires_at timestamptz not null,
  constraint passkey_challenge_of_session check ((session_id is null) = (purpose = 'sign_in'))
);
comment on table passkey_challenge is
  'What a passkey is asked to sign. It is deleted with the first answer, right or wrong.';
create index passkey_challenge_session on passkey_challenge (session_id);
create index passkey_challenge_expires on passkey_challenge (expires_at);
grant select, insert, update, delete on passkey_challenge to guildhall_app;

create table identity (
  id           uuid primary key default gen_random_uuid(),
  user_id      uuid not null references app_user,
  provider     text not null check (provider ~ '^[a-z0-9-]{1,30}$'),
  issuer       text not null check (length(issuer) between 1 and 2000),
  subject      text not null check (length(subject) between 1 and 500),
  email        text check (length(email) between 1 and 320),
  created_at   timestamptz not null default now(),
  last_used_at timestamptz
);
comment on table identity is 'An account elsewhere that signs a person in.';
comment on column identity.provider is 'The id of the provider in addresses, when it was linked.';
comment on column identity.issuer is
  'Who vouches for the subject: another issuer under the same id is another provider.';
comment on column identity.subject is 'What identifies the person there for ever.';
comment on column identity.email is
  'The address there, for people to recognise it; it opens nothing.';
-- Named like the error that it is answered with.
create unique index identity_taken on identity (issuer, subject);
create index identity_of_user on identity (user_id, created_at);
create trigger identity_stays
  before update of id, user_id, provider, issuer, subject, created_at on identity
  for each row execute function keep_columns(
    'id', 'user_id', 'provider', 'issuer', 'subject', 'created_at');
grant select, insert, update, delete on identity to guildhall_app;

create table provider_attempt (
  token_hash      bytea primary key check (octet_length(token_hash) = 32),
  provider        text not null check (length(provider) between 1 and 30),
  session_id      uuid references session,
  return_to       text not null check (length(return_to) between 1 and 1000),
  expires_at      timestamptz not null,
  organization_id uuid,
  installation_id bigint check (installation_id > 0)
);
comment on table provider_attempt is
  'A browser that was sent to a provider. Its cookie holds the token, and it comes back once.';
comment on column provider_attempt.session_id is
  'The session to whose person the account is linked.';
comment on column provider_attempt.organization_id is
  'The workspace that the installation is for; null for the person.';
comment on column provider_attempt.installation_id is
  'What the browser said was installed. It proves nothing until GitHub says so to the person.';
create index provider_attempt_session on provider_attempt (session_id);
create index provider_attempt_expires on provider_attempt (expires_at);
create index provider_attempt_organization on provider_attempt (organization_id);
grant select, insert, update, delete on provider_attempt to guildhall_app;

create table revocation (
  id       uuid primary key default uuid_v7(),
  user_id  uuid not null,
  noted_at timestamptz not null default clock_timestamp()
);
comment on table revocation is
  'A session, key, membership or role of a person has ended. Every process that has event streams reads the latest rows each second; they are kept for an hour.';
comment on column revocation.user_id is
  'Not a foreign key: a revocation waits for no lock on its person.';
create index revocation_noted on revocation (noted_at);
grant select, insert, delete on revocation to guildhall_app;

-- Workspaces, roles, members ----------------------------------------------------------------------

create table organization (
  id                   uuid primary key default gen_random_uuid(),
  name                 text not null check (length(name) between 1 and 100),
  color                text check (color ~ '^#[0-9A-Fa-f]{6}$'),
  icon                 text check (length(icon) between 1 and 100),
  require_2fa          boolean not null default false,
  owner_user_id        uuid not null,
  created_at           timestamptz not null default now(),
  updated_at           timestamptz not null default now(),
  admins_manage_admins boolean not null default true,
  constraint organization_name_is_name check (is_name(name))
);
comment on table organization is
  'A workspace: a shared account that owns projects and is billed as one.';
comment on column organization.require_2fa is
  'Members without a second factor keep their membership, but cannot act here.';
comment on column organization.owner_user_id is
  'Exactly one owner, who is a member. The owner''s own membership says admin, which is what remains after a transfer.';
comment on column organization.admins_manage_admins is
  'Whether admins may make and unmake admins. The owner decides.';
create trigger organization_opens_account after insert on organization
  for each row execute function open_billing_account();
grant select, insert, update, delete on organization to guildhall_app;
alter table provider_attempt add foreign key (organization_id)
  references organization on delete cascade;

create table role (
  id              uuid primary key default gen_random_uuid(),
  organization_id uuid references organization,
  scope           text not null check (scope in ('workspace', 'project')),
  slug            text not null check (slug ~ '^[a-z][a-z0-9_-]{0,49}$'),
  name            text not null check (length(name) between 1 and 100),
  color           text not null check (color ~ '^#[0-9A-F]{6}$'),
  acts_as         text not null check (acts_as in ('owner', 'admin', 'member', 'viewer')),
  assignable      boolean not null generated always as (acts_as <> 'owner') stored,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  unique (id, scope, assignable),
  unique nulls not distinct (organization_id, scope, slug),
  constraint role_name_is_name check (is_name(name)),
  constraint role_name_taken check (
    organization_id is null
    or name_key(name) not in ('owner', 'admin', 'member', 'viewer',
    'project admin', 'project member', 'project viewer')),
  constraint role_owner_is_built_in
    check (acts_as <> 'owner'
           or (organization_id is null and scope = 'workspace' and slug = 'owner')),
  constraint role_slug_is_not_built_in check (
    organization_id is null or slug not in ('owner', 'admin', 'member', 'viewer'))
);
comment on table role is
  'The built-in roles, which have no organization_id, and custom roles of a workspace, which act as a built-in one.';
comment on column role.acts_as is 'The built-in role whose permissions this one has.';
comment on column role.assignable is
  'False for owner, which exists for its name and colour only. Referring tables repeat scope and assignable in their foreign key.';
create unique index role_name_taken on role (organization_id, scope, name_key(name) collate "C")
  nulls not distinct;
create trigger role_ends_card_shares after update of acts_as on role
  for each row when (new.acts_as <> 'admin') execute function end_card_shares();
grant select, insert, update, delete on role to guildhall_app;

create table membership (
  organization_id uuid references organization,
  user_id         uuid references app_user,
  role_id         uuid not null,
  scope           text not null default 'workspace' check (scope = 'workspace'),
  assignable      boolean not null default true check (assignable),
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (organization_id, user_id),
  foreign key (role_id, scope, assignable) references role (id, scope, assignable)
);
comment on table membership is 'Who belongs to a workspace, with which role.';
comment on column membership.scope is 'Constant: with role_id it refers to a role of a workspace.';
comment on column membership.assignable is
  'Constant: with role_id it refers to a role that can be assigned.';
create index membership_role on membership (role_id);
-- Finds one membership of a person in many workspaces by itself; with the user alone, each of a
-- person's 2,000 projects looked through all of their 500 memberships.
create index membership_of_user on membership (user_id, organization_id);
create trigger membership_role_belongs before insert or update of role_id on membership
  for each row execute function check_role_belongs();
create trigger membership_ends_overrides after delete on membership
  for each row execute function end_overrides();
create trigger membership_ends_card_shares after update of role_id on membership
  for each row execute function end_card_shares();
grant select, insert, update, delete on membership to guildhall_app;
alter table organization add constraint organization_owner_is_member foreign key (id, owner_user_id)
  references membership deferrable initially deferred;

-- Projects, teams, invitations --------------------------------------------------------------------

create table project (
  id              uuid primary key default gen_random_uuid(),
  organization_id uuid references organization,
  owner_user_id   uuid references app_user,
  name            text not null check (length(name) between 1 and 200),
  erp_version     text not null check (length(erp_version) between 1 and 20),
  erp_edition     text not null check (erp_edition in ('community', 'enterprise')),
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  default_model   text check (length(default_model) between 1 and 100),
  plan_approval   text not null default 'required'
    check (plan_approval in ('required', 'automatic')),
  spend_cap       bigint check (spend_cap > 0),
  archived_at     timestamptz,
  unique (id, organization_id),
  constraint project_has_one_owner check (num_nonnulls(organization_id, owner_user_id) <= 1),
  constraint project_name_is_name check (is_name(name))
);
comment on table project is
  'Owned by a workspace, by a user (a personal project), or by nobody (released, after its workspace was deleted).';
comment on column project.default_model is
  'The model of a task that names none; null is the catalog''s default.';
comment on column project.plan_approval is
  '`automatic`: the agent''s plans are approved by this policy instead of a person.';
comment on column project.spend_cap is 'Micro-USD that the tasks of the project may cost in all.';
comment on column project.archived_at is
  'Archived projects take no new tasks and are left out of lists.';
-- The lists of projects and tasks, in their order; the first columns also serve the foreign keys.
create index project_of_workspace on project (organization_id, (lower(name) collate "C"), id);
create index project_of_owner on project (owner_user_id, (lower(name) collate "C"), id);
create trigger project_joins_teams after insert on project
  for each row when (new.organization_id is not null) execute function add_teams_to_new_project();
-- A new project has a repository of this server, and its main branch is production.
create trigger project_gets_repository after insert on project
  for each row execute function begin_repository();
create trigger project_leaves_spend_limits
  after update of organization_id, owner_user_id on project
  for each row
  when ((old.organization_id, old.owner_user_id)
        is distinct from (new.organization_id, new.owner_user_id))
  execute function end_spend_limits();
create trigger project_leaves_production_write
  after update of organization_id, owner_user_id on project
  for each row
  when ((old.organization_id, old.owner_user_id)
        is distinct from (new.organization_id, new.owner_user_id))
  execute function end_production_write();
grant select, insert, update, delete on project to guildhall_app;

create table project_grant (
  project_id uuid references project on delete cascade,
  user_id    uuid references app_user,
  role_id    uuid not null,
  scope      text not null default 'project' check (scope = 'project'),
  assignable boolean not null default true check (assignable),
  created_at timestamptz not null default now(),
  primary key (project_id, user_id),
  foreign key (role_id, scope, assignable) references role (id, scope, assignable)
);
comment on table project_grant is
  'A role set for a person on a project: an override for a member of its workspace, otherwise an outside collaboration.';
comment on column project_grant.scope is 'Constant: with role_id it refers to a role of a project.';
comment on column project_grant.assignable is
  'Constant: with role_id it refers to a role that can be assigned.';
create index project_grant_user on project_grant (user_id);
create index project_grant_role on project_grant (role_id);
create trigger project_grant_role_belongs before insert or update of role_id on project_grant
  for each row execute function check_role_belongs();
grant select, insert, update, delete on project_grant to guildhall_app;

create table team (
  id                   uuid primary key default gen_random_uuid(),
  organization_id      uuid not null references organization,
  name                 text not null check (length(name) between 1 and 100 and name = btrim(name)),
  add_to_new_projects  boolean not null default false,
  can_create_projects  boolean not null default false,
  can_merge_production boolean not null default false,
  can_merge_staging    boolean not null default false,
  created_at           timestamptz not null default now(),
  updated_at           timestamptz not null default now(),
  unique (id, organization_id),
  constraint team_name_is_name check (is_name(name))
);
comment on table team is 'A group of members of a workspace with common permissions.';
comment on column team.add_to_new_projects is
  'Projects created from now on get the team; existing ones do not change.';
create unique index team_name_taken on team (organization_id, name_key(name) collate "C");
grant select, insert, update, delete on team to guildhall_app;

create table team_member (
  team_id         uuid,
  organization_id uuid not null,
  user_id         uuid,
  primary key (team_id, user_id),
  foreign key (organization_id, user_id) references membership on delete cascade,
  foreign key (team_id, organization_id) references team (id, organization_id) on delete cascade
);
comment on table team_member is 'Who is in a team. Ends with the membership in the workspace.';
create index team_member_membership on team_member (organization_id, user_id);
grant select, insert, update, delete on team_member to guildhall_app;

create table team_project (
  team_id         uuid,
  organization_id uuid not null,
  project_id      uuid,
  primary key (team_id, project_id),
  constraint team_project_of_project
    foreign key (project_id, organization_id)
    references project (id, organization_id) on delete cascade,
  foreign key (team_id, organization_id) references team (id, organization_id) on delete cascade
);
comment on table team_project is 'The projects of a team.';
create index team_project_project on team_project (project_id, organization_id);
grant select, insert, update, delete on team_project to guildhall_app;

create table invitation (
  id                 uuid primary key default gen_random_uuid(),
  organization_id    uuid references organization,
  email              text not null
    check (email = btrim(email) and position('@' in email) > 1 and length(email) <= 320),
  role_id            uuid not null,
  scope              text not null default 'workspace',
  assignable         boolean not null default true check (assignable),
  status             text not null default 'pending'
    check (status in ('pending', 'accepted', 'declined', 'revoked')),
  generation         integer not null default 1 check (generation > 0),
  invited_by_user_id uuid references app_user,
  invited_by_name    text not null default '',
  created_at         timestamptz not null default now(),
  expires_at         timestamptz not null default now() + interval '7 days',
  project_id         uuid references project on delete cascade,
  updated_at         timestamptz not null default now(),
  foreign key (role_id, scope, assignable) references role (id, scope, assignable),
  constraint invitation_is_to_one_thing check (
    case scope when 'workspace' then organization_id is not null and project_id is null
    when 'project'   then project_id is not null and organization_id is null
    else false end)
);
comment on table invitation is
  'An offer of membership in a workspace, or of a role on a project. One may be pending per address and workspace or project.';
comment on column invitation.scope is
  '`workspace` or `project`; with role_id it refers to a role of that kind.';
comment on column invitation.assignable is
  'Constant: with role_id it refers to a role that can be assigned.';
comment on column invitation.generation is
  'Part of what the link is derived from; no token is stored. A higher number makes earlier links invalid.';
comment on column invitation.invited_by_name is 'The name at that time.';
create index invitation_newest on invitation (organization_id, created_at desc, id desc)
  where status = 'pending';
create index invitation_role on invitation (role_id);
-- Deleting a workspace takes its invitations of every status with it; the other indexes know the
-- pending ones only.
create index invitation_organization on invitation (organization_id);
create index invitation_invited_by on invitation (invited_by_user_id);
create index invitation_of_project on invitation (project_id, created_at desc, id desc)
  where status = 'pending';
-- Deleting a project deletes its invitations, also those that are no longer pending.
create index invitation_project on invitation (project_id);
create unique index invitation_open_mailbox
  on invitation (organization_id, mailbox(email)) where status = 'pending';
create unique index invitation_open_mailbox_of_project
  on invitation (project_id, mailbox(email)) where status = 'pending';
create index invitation_of_mailbox
  on invitation (mailbox(email), created_at desc, id desc) where status = 'pending';
create trigger invitation_role_belongs before insert or update of role_id on invitation
  for each row execute function check_role_belongs();
grant select, insert, update, delete on invitation to guildhall_app;

create table invitation_team (
  invitation_id   uuid references invitation on delete cascade,
  organization_id uuid not null,
  team_id         uuid,
  primary key (invitation_id, team_id),
  constraint invitation_team_of_team
    foreign key (team_id, organization_id) references team (id, organization_id) on delete cascade
);
comment on table invitation_team is 'The teams that whoever accepts an invitation joins.';
create index invitation_team_team on invitation_team (team_id, organization_id);
grant select, insert, delete on invitation_team to guildhall_app;

-- The ledger --------------------------------------------------------------------------------------

create table billing_account (
  id              uuid primary key default gen_random_uuid(),
  kind            text not null check (kind in ('user', 'workspace', 'system')),
  user_id         uuid references app_user unique,
  organization_id uuid references organization on delete set null unique,
  system_name     text unique
    check (system_name in
      ('processor_clearing', 'transfer_clearing', 'revenue', 'disputes', 'promotions', 'write_offs',
      'test_money')),
  status          text not null default 'active' check (status in ('active', 'frozen', 'closed')),
  successor_id    uuid references billing_account,
  balance         bigint not null default 0 check (abs(balance) <= 1000000000000000),
  held            bigint not null default 0 check (held >= 0),
  version         bigint not null default 0 check (version >= 0),
  posted_version  bigint generated always as (nullif(version, 0)) stored,
  created_at      timestamptz not null default now(),
  customer_id     text unique,
  constraint billing_account_closed_is_empty
    check (status <> 'closed' or (balance = 0 and held = 0 and successor_id is not null)),
  constraint billing_account_debt_is_frozen check (balance >= 0 or status = 'frozen'),
  constraint billing_account_is_not_its_successor check (successor_id <> id),
  constraint billing_account_open_workspace_exists
    check (kind <> 'workspace' or status = 'closed' or organization_id is not null),
  constraint billing_account_organization_has_workspace_kind
    check (organization_id is null or kind = 'workspace'),
  constraint billing_account_system_has_name check ((kind = 'system') = (system_name is not null)),
  constraint billing_account_system_has_no_balance
    check (kind <> 'system' or (version = 0 and status = 'active')),
  constraint billing_account_system_id
    check (
    (kind = 'system')
    = (id between '00000000-0000-4000-9000-000000000000' and '00000000-0000-4000-9000-ffffffffffff')),
  constraint billing_account_unposted_is_empty check (version > 0 or balance = 0),
  constraint billing_account_user_has_user check ((kind = 'user') = (user_id is not null))
);
comment on table billing_account is
  'What holds a balance: one for each user and each workspace, and the system accounts on the other side of the postings.';
comment on column billing_account.successor_id is
  'Who received the balance when the account was closed.';
comment on column billing_account.balance is
  'Micro-USD. Moves only by an insert into ledger_transfer; 0 for system accounts, whose balance is the sum of their rows.';
comment on column billing_account.held is 'Micro-USD: the sum of the open holds.';
comment on column billing_account.version is 'How many postings the account has.';
comment on column billing_account.posted_version is
  'The version, or null before the first posting: for the foreign key to the last row of the account.';
comment on column billing_account.customer_id is 'The card processor''s name for the person.';
create index billing_account_successor on billing_account (successor_id);
create trigger billing_account_has_details after insert on billing_account
  for each row when (new.kind <> 'system') execute function open_billing_details();
grant select, insert (id, kind, user_id, organization_id), update (status, successor_id,
  customer_id) on billing_account to guildhall_app;

create table ledger_transfer (
  id                uuid primary key default uuid_v7(),
  idempotency_key   text not null unique check (length(idempotency_key) between 1 and 200),
  kind              text not null
    check (kind in
      ('top_up', 'promotion', 'grant', 'balance_transfer', 'refund', 'refund_reversal', 'dispute',
      'dispute_reversal', 'usage', 'write_off', 'void')),
  debit_account_id  uuid not null references billing_account,
  credit_account_id uuid not null references billing_account,
  amount            bigint not null check (amount > 0),
  account_id        uuid not null,
  version           bigint not null check (version > 0),
  previous_version  bigint generated always as (nullif(version - 1, 0)) stored,
  previous_balance  bigint not null,
  balance           bigint not null,
  reference_type    text not null check (length(reference_type) between 1 and 50),
  reference_id      uuid not null,
  created_at        timestamptz not null default clock_timestamp(),
  unique (account_id, version),
  unique (account_id, version, balance),
  constraint ledger_transfer_follows_the_previous
    foreign key (account_id, previous_version, previous_balance)
    references ledger_transfer (account_id, version, balance),
  constraint ledger_transfer_account_is_debit_or_credit
    check (account_id in (debit_account_id, credit_account_id)),
  constraint ledger_transfer_balance_adds_up
    check (balance = previous_balance
           + case when account_id = credit_account_id then amount else -amount end),
  constraint ledger_transfer_between_two_accounts check (debit_account_id <> credit_account_id),
  constraint ledger_transfer_first_starts_at_zero check (version > 1 or previous_balance = 0),
  constraint ledger_transfer_one_customer
    check (
    (debit_account_id between '00000000-0000-4000-9000-000000000000' and '00000000-0000-4000-9000-ffffffffffff')
    <> (credit_account_id between '00000000-0000-4000-9000-000000000000' and '00000000-0000-4000-9000-ffffffffffff'))
);
comment on table ledger_transfer is
  'The ledger: one debit and one credit in each row, between one customer and one system account. Insert-only.';
comment on column ledger_transfer.account_id is
  'The customer''s account, which is the debit or the credit side.';
comment on column ledger_transfer.version is 'Numbers the rows of the account without a gap.';
comment on column ledger_transfer.balance is
  'Micro-USD: the balance of the account after this row.';
comment on column ledger_transfer.reference_id is
  'What the posting is for; reference_type says in which table.';
create index ledger_transfer_debit on ledger_transfer (debit_account_id);
create index ledger_transfer_credit on ledger_transfer (credit_account_id);
create index ledger_transfer_reference on ledger_transfer (reference_id);
-- The credits of the last seconds: an identical request without an Idempotency-Key gets the same
-- top-up.
create index ledger_transfer_top_up on ledger_transfer (account_id, created_at)
  where kind = 'top_up';
-- Transactions by time and by kind: of 200,000 rows of one balance, a month took 130 ms, a rare
-- kind 44.
create index ledger_transfer_time on ledger_transfer (account_id, created_at);
create index ledger_transfer_kind on ledger_transfer (account_id, kind, version);
create trigger ledger_transfer_posts before insert on ledger_transfer
  for each row execute function post_to_account();
create trigger ledger_transfer_insert_only before update or delete on ledger_transfer
  for each row execute function refuse_change();
create trigger ledger_transfer_no_truncate before truncate on ledger_transfer
  for each statement execute function refuse_change();
create trigger ledger_transfer_needs_invoice
  after insert on ledger_transfer
  for each row
  when (new.kind in ('top_up', 'refund', 'refund_reversal')) execute function note_invoice_due();
grant select, insert on ledger_transfer to guildhall_app;
alter table billing_account add constraint billing_account_is_its_last_row
  foreign key (id, posted_version, balance)
  references ledger_transfer (account_id, version, balance) deferrable initially deferred;

create table hold (
  id              uuid primary key default gen_random_uuid(),
  account_id      uuid not null references billing_account,
  amount          bigint not null check (amount > 0),
  captured        bigint not null default 0,
  status          text not null default 'open' check (status in ('open', 'captured', 'released')),
  idempotency_key text not null unique check (length(idempotency_key) between 1 and 200),
  reference_type  text not null check (length(reference_type) between 1 and 50),
  reference_id    uuid not null,
  -- A captured hold cannot be committed without the ledger row that took the money.
  transfer_key    text generated always as (
      case when status = 'captured' then 'hold:' || id || ':capture' end) stored
    references ledger_transfer (idempotency_key) deferrable initially deferred,
  created_at      timestamptz not null default clock_timestamp(),
  ended_at        timestamptz,
  constraint hold_captured_within_amount
    check (case when status = 'captured' then captured between 1 and amount else captured = 0 end),
  constraint hold_open_has_no_end check ((status = 'open') = (ended_at is null))
);
comment on table hold is 'Part of a balance that is reserved, until it is captured or released.';
comment on column hold.captured is
  'Micro-USD that were charged when the hold was captured; the rest was released.';
comment on column hold.transfer_key is 'The posting of a captured hold.';
create index hold_open on hold (account_id) where status = 'open';
-- Deleting a project releases what its tasks hold.
create index hold_open_for on hold (reference_id) where status = 'open';
create trigger hold_check before insert or update on hold
  for each row execute function check_hold();
create trigger hold_reserves after insert on hold for each row execute function hold_reserves();
create trigger hold_lets_go after update on hold for each row execute function hold_lets_go();
create trigger hold_no_delete before delete on hold for each row execute function refuse_change();
create trigger hold_no_truncate before truncate on hold
  for each statement execute function refuse_change();
grant select, insert (id, account_id, amount, idempotency_key, reference_type, reference_id),
  update (captured, status) on hold to guildhall_app;

create table last_ledger_audit (
  only_one   boolean primary key default true check (only_one),
  audited_at timestamptz not null,
  violations integer not null check (violations >= 0),
  top_ups    jsonb not null
);
comment on table last_ledger_audit is
  'The result of the last hourly audit; no row before the first one.';
comment on column last_ledger_audit.top_ups is 'How many top-ups there were, by status.';
grant select, insert, update on last_ledger_audit to guildhall_app;

create table billing_mode (
  only_one   boolean primary key default true check (only_one),
  mode       text not null check (mode in ('stripe', 'credits', 'off', 'sandbox')),
  test_money boolean not null,
  real_since timestamptz,
  void_id    uuid,
  voided_at  timestamptz,
  changed_at timestamptz not null default clock_timestamp(),
  constraint billing_mode_knows_its_money check (
    case mode when 'sandbox' then test_money when 'stripe' then true else not test_money end),
  constraint billing_mode_says_since_when check (test_money = (real_since is null)),
  constraint billing_mode_voids_test_money check (voided_at is null or not test_money)
);
comment on table billing_mode is
  'How work is paid for: one row, from the first start of a server. Every process goes by it, whatever its own BILLING says.';
comment on column billing_mode.test_money is
  'Whether balances were paid with test cards. Once they are not, they never are again.';
comment on column billing_mode.real_since is
  'Top-ups that were begun before are not credited any more. -infinity: there was no test money before.';
comment on column billing_mode.void_id is
  'The audit event of the change that ended test money, which the postings that void it refer to.';
comment on column billing_mode.voided_at is
  'When the last balance of test money was voided. Until then nothing is held and no server answers.';
create trigger billing_mode_no_delete before delete on billing_mode
  for each row execute function refuse_change();
create trigger billing_mode_no_truncate before truncate on billing_mode
  for each statement execute function refuse_change();
grant select, insert, update (mode, test_money, real_since, void_id, voided_at, changed_at) on
  billing_mode to guildhall_app;

-- Cards and top-ups -------------------------------------------------------------------------------

create table payment_method (
  id          text primary key check (id ~ '^pm_[0-9A-Za-z]{10,60}$'),
  user_id     uuid not null references app_user,
  token       text not null check (length(token) between 1 and 255),
  brand       text not null check (length(brand) between 1 and 30),
  last4       text not null check (last4 ~ '^[0-9]{4}$'),
  detached_at timestamptz,
  created_at  timestamptz not null default now(),
  fingerprint text check (length(fingerprint) between 1 and 255),
  exp_month   smallint check (exp_month between 1 and 12),
  exp_year    smallint check (exp_year between 2000 and 9999),
  default_at  timestamptz,
  look        bigint not null default 0
);
comment on table payment_method is 'A saved card. Detached, never deleted.';
comment on column payment_method.token is 'The card processor''s id of it; `id` is ours.';
comment on column payment_method.fingerprint is
  'The card processor''s id of the card itself, the same when a card is saved twice.';
comment on column payment_method.exp_month is
  'The card can be charged until the end of this month; null for a card saved before it was recorded.';
comment on column payment_method.default_at is
  'When its person last chose it as their default: the latest choice counts, otherwise the oldest card.';
comment on column payment_method.look is
  'Counts the questions to the processor: only the answer to the last one is applied.';
create index payment_method_user on payment_method (user_id);
-- A card that the processor keeps has one row. Its published test cards, `pm_card_…`, belong to
-- everyone.
create unique index payment_method_token on payment_method (token)
  where token ~ '^pm_[0-9A-Za-z]+$';
-- Cards that end soon are found by their expiry.
create index payment_method_expiry on payment_method (exp_year, exp_month)
  where detached_at is null;
create trigger payment_method_ends_shares after update of detached_at on payment_method
  for each row when (new.detached_at is not null) execute function end_card_shares();
grant select, insert, update on payment_method to guildhall_app;

create table card_setup (
  id                uuid primary key,
  user_id           uuid not null references app_user,
  key_id            uuid references api_key,
  session_id        uuid references session,
  request_id        text not null,
  processor         text not null check (processor in ('stripe', 'sandbox')),
  processor_id      text not null unique check (length(processor_id) between 1 and 255),
  status            text not null default 'open' check (status in ('open', 'succeeded', 'failed')),
  payment_method_id text references payment_method,
  failure_code      text check (length(failure_code) between 1 and 100),
  next_check_at     timestamptz default now() + interval '00:01:00',
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now(),
  constraint card_setup_failed_has_code check ((status = 'failed') = (failure_code is not null)),
  constraint card_setup_open_is_checked check ((status = 'open') = (next_check_at is not null)),
  constraint card_setup_succeeded_has_card
    check ((status = 'succeeded') = (payment_method_id is not null))
);
comment on table card_setup is 'One attempt of a person to save a card.';
comment on column card_setup.processor_id is 'The card processor''s id of the attempt.';
comment on column card_setup.next_check_at is
  'When the processor is asked next; null when nothing is left to ask.';
create index card_setup_user on card_setup (user_id);
create index card_setup_key on card_setup (key_id);
create index card_setup_session on card_setup (session_id);
create index card_setup_card on card_setup (payment_method_id);
create index card_setup_due on card_setup (next_check_at) where status = 'open';
create trigger card_setup_keeps_its_request
  before update of id, user_id, key_id, session_id, request_id, processor, processor_id, created_at on card_setup
  for each row execute function keep_columns(
    'id', 'user_id', 'key_id', 'session_id', 'request_id', 'processor', 'processor_id',
    'created_at');
grant select, insert, update on card_setup to guildhall_app;

create table card_share (
  payment_method_id text references payment_method,
  organization_id   uuid,
  user_id           uuid not null,
  created_at        timestamptz not null default now(),
  primary key (payment_method_id, organization_id),
  foreign key (organization_id, user_id) references membership on delete cascade
);
comment on table card_share is
  'Cards that an owner or admin lets the others of a workspace see. It gives no one the right to charge them.';
comment on column card_share.user_id is 'The person of the card.';
create index card_share_member on card_share (organization_id, user_id);
grant select, insert, delete on card_share to guildhall_app;

create table top_up (
  id                uuid primary key default gen_random_uuid(),
  account_id        uuid not null references billing_account,
  user_id           uuid not null references app_user,
  key_id            uuid references api_key,
  request_id        text not null,
  payment_method_id text not null references payment_method,
  amount            bigint not null check (amount > 0),
  status            text not null default 'created'
    check (status in
      ('created', 'processing', 'succeeded', 'failed', 'partially_refunded', 'refunded', 'disputed')),
  client_key        text check (length(client_key) between 1 and 255),
  processor_id      text unique,
  failure_code      text,
  decline_code      text,
  refunded          bigint not null default 0 check (refunded >= 0),
  disputed          bigint not null default 0 check (disputed >= 0),
  checks            integer not null default 0,
  next_check_at     timestamptz default now() + interval '00:00:15',
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now(),
  look              bigint not null default 0,
  automatic         boolean not null default false,
  processor         text not null check (processor in ('stripe', 'sandbox')),
  unique (user_id, client_key),
  constraint top_up_charged_has_processor_id
    check (status in ('created', 'failed') or processor_id is not null),
  constraint top_up_failed_has_code check ((status = 'failed') = (failure_code is not null)),
  constraint top_up_open_is_checked
    check (status not in ('created', 'processing') or next_check_at is not null)
);
comment on table top_up is
  'One attempt to charge a card and credit a balance, stored before the processor is asked.';
comment on column top_up.user_id is 'Who asked for it and whose card is charged.';
comment on column top_up.client_key is 'The Idempotency-Key of the request.';
comment on column top_up.processor_id is 'The card processor''s id of the charge.';
comment on column top_up.refunded is
  'Micro-USD that went back to the card; more than the amount where the processor took more.';
comment on column top_up.disputed is 'Micro-USD that disputes hold back now.';
comment on column top_up.checks is 'How often the processor was asked for the outcome.';
comment on column top_up.next_check_at is
  'When the processor is asked next; null when nothing is left to ask.';
comment on column top_up.look is
  'Counts the questions to the processor: only the answer to the last one is applied.';
comment on column top_up.automatic is 'Started by auto-reload.';
create index top_up_account on top_up (account_id);
create index top_up_due on top_up (next_check_at) where status in ('created', 'processing');
create unique index top_up_one_automatic on top_up (account_id)
  where automatic and status in ('created', 'processing');
create index top_up_automatic on top_up (account_id) where automatic;
create unique index top_up_one_open on top_up (account_id, payment_method_id, amount)
  where status in ('created', 'processing') and client_key is null;
create trigger top_up_transition before update of status on top_up
  for each row execute function check_top_up_transition();
create trigger top_up_keeps_its_request
  before update of id, account_id, user_id, key_id, request_id, payment_method_id, amount, processor on top_up
  for each row execute function keep_columns(
    'id', 'account_id', 'user_id', 'key_id', 'request_id', 'payment_method_id', 'amount',
    'processor');
grant select, insert, update on top_up to guildhall_app;

create table top_up_session (
  top_up_id  uuid primary key references top_up,
  session_id uuid not null references session
);
comment on table top_up_session is
  'Which browser session asked for a charge. Charges by keys and automatic ones have no row.';
create index top_up_session_session on top_up_session (session_id);
grant select, insert on top_up_session to guildhall_app;

create table attended_top_up (
  top_up_id uuid primary key references top_up,
  until     timestamptz not null
);
comment on table attended_top_up is
  'Charges whose cardholder is there and may confirm them in the browser. Others have no row.';
comment on column attended_top_up.until is 'Then the charge is cancelled.';
grant select, insert on attended_top_up to guildhall_app;

create table top_up_cancellation (
  top_up_id  uuid primary key references top_up,
  key_id     uuid,
  session_id uuid,
  request_id text not null,
  created_at timestamptz not null default now()
);
comment on table top_up_cancellation is
  'Charges that their person has asked to cancel: whoever learns that one is cancelled records it as that person''s act. By then it may also have succeeded. Like the audit trail, without foreign keys to keys and sessions.';
comment on column top_up_cancellation.request_id is 'With the key or session, for the audit trail.';
grant select, insert on top_up_cancellation to guildhall_app;

create table auto_reload (
  account_id        uuid primary key references billing_account,
  enabled           boolean not null default false,
  payment_method_id text references payment_method,
  updated_at        timestamptz not null default now(),
  threshold         bigint check (threshold > 0),
  amount            bigint check (amount > 0),
  monthly_cap       bigint check (monthly_cap > 0),
  paused_reason     text
    check (paused_reason in
      ('declined', 'authentication_required', 'card_lost', 'refunded', 'disputed')),
  -- Declines of charges that were begun before this are forgiven: a new card, or a top-up by hand
  -- that worked.
  declines_since    timestamptz not null default now(),
  looked_at         timestamptz not null default '-infinity',
  constraint auto_reload_complete check (
    not enabled or num_nulls(threshold, amount, monthly_cap) = 3
    or (num_nulls(threshold, amount, monthly_cap) = 0 and monthly_cap >= amount)),
  constraint auto_reload_enabled_has_card check (not enabled or payment_method_id is not null)
);
comment on table auto_reload is
  'Whether and how a balance is topped up by itself. Off without a row.';
comment on column auto_reload.threshold is
  'Micro-USD: the charge starts when less than this is available.';
comment on column auto_reload.monthly_cap is 'Micro-USD that may be charged in a calendar month.';
comment on column auto_reload.declines_since is
  'Declines of charges that began before this do not count.';
comment on column auto_reload.looked_at is 'When the balance was last compared with the threshold.';
create index auto_reload_card on auto_reload (payment_method_id);
create index auto_reload_watched on auto_reload (looked_at) where enabled and paused_reason is null;
grant select, insert, update on auto_reload to guildhall_app;

create table auto_reload_set_by (
  account_id uuid primary key references auto_reload,
  user_id    uuid not null references app_user
);
comment on table auto_reload_set_by is
  'who set the card and the figures of an auto-reload; a workspace''s charges no card of anybody else';
create index auto_reload_set_by_user on auto_reload_set_by (user_id);
grant select, insert, update on auto_reload_set_by to guildhall_app;

create table processor_event (
  id              text primary key check (length(id) between 1 and 255),
  type            text not null check (length(type) between 1 and 255),
  intent_id       text,
  created_at      timestamptz not null,
  received_at     timestamptz not null default now(),
  attempts        integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  processed_at    timestamptz,
  last_error      text,
  setup_id        text,
  token           text
);
comment on table processor_event is
  'Webhook events by the card processor''s id, stored whether their type is known or not, and processed in any order.';
comment on column processor_event.intent_id is 'The charge that the event is about.';
comment on column processor_event.created_at is 'The card processor''s time.';
comment on column processor_event.setup_id is 'The attempt to save a card that the event is about.';
comment on column processor_event.token is 'The saved card that the event is about.';
create index processor_event_due on processor_event (next_attempt_at) where processed_at is null;
create index processor_event_newest on processor_event (created_at desc);
grant select, insert, update on processor_event to guildhall_app;

create table refund (
  id            uuid primary key default gen_random_uuid(),
  top_up_id     uuid not null references top_up,
  amount        bigint not null check (amount > 0),
  status        text not null default 'created'
    check (status in ('created', 'succeeded', 'failed')),
  failure       text,
  checks        integer not null default 0,
  next_check_at timestamptz default now() + interval '00:00:15',
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  constraint refund_created_is_checked check ((status = 'created') = (next_check_at is not null))
);
comment on table refund is
  'A refund that an operator asked for. Its money is held until the processor''s answer is posted.';
comment on column refund.next_check_at is 'When the processor is asked for the outcome next.';
create index refund_top_up on refund (top_up_id);
create index refund_due on refund (next_check_at) where status = 'created';
create trigger refund_keeps_its_request before update of id, top_up_id, amount on refund
  for each row execute function keep_columns('id', 'top_up_id', 'amount');
grant select, insert, update on refund to guildhall_app;

create table dispute (
  id         text primary key,
  top_up_id  uuid not null references top_up,
  withdrawn  bigint not null default 0,
  postings   integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table dispute is 'A dispute of a charge, by the card processor''s id.';
comment on column dispute.withdrawn is
  'Micro-USD that are held back now: withdrawn less reinstated.';
comment on column dispute.postings is 'How many postings followed it; numbers their keys.';
create index dispute_top_up on dispute (top_up_id);
grant select, insert, update on dispute to guildhall_app;

create table sandbox_intent (
  id              text primary key,
  idempotency_key text not null unique,
  confirm_key     text unique,
  token           text not null,
  amount          bigint not null check (amount > 0),
  status          text not null
    check (status in ('requires_confirmation', 'succeeded', 'requires_payment_method', 'canceled')),
  decline_code    text,
  failure_code    text,
  metadata        jsonb not null default '{}',
  created_at      timestamptz not null default now()
);
comment on table sandbox_intent is 'The memory of the sandbox card processor: its charges.';
grant select, insert, update on sandbox_intent to guildhall_app;

create table sandbox_refund (
  idempotency_key text primary key,
  intent_id       text not null references sandbox_intent,
  amount          bigint not null check (amount > 0),
  created_at      timestamptz default now()
);
comment on table sandbox_refund is 'The memory of the sandbox card processor: its refunds.';
comment on column sandbox_refund.created_at is 'Null for refunds of an earlier release.';
create index sandbox_refund_intent on sandbox_refund (intent_id);
grant select, insert on sandbox_refund to guildhall_app;

create table sandbox_setup (
  id    text primary key,
  token text not null check (length(token) between 1 and 255)
);
comment on table sandbox_setup is
  'The memory of the sandbox card processor: the cards it was given.';
grant select, insert on sandbox_setup to guildhall_app;

-- Usage and spend limits --------------------------------------------------------------------------

create table usage_settlement (
  id              uuid primary key default gen_random_uuid(),
  account_id      uuid not null references billing_account,
  number          bigint not null check (number > 0),
  previous_number bigint generated always as (nullif(number - 1, 0)) stored,
  events          integer not null check (events > 0),
  total_nano      bigint not null check (total_nano >= 0),
  carried_in      smallint not null check (carried_in between 0 and 999),
  carried_out     smallint not null check (carried_out between 0 and 999),
  micro           bigint not null check (micro >= 0),
  transfer_key    text generated always as (case when micro > 0 then 'usage:' || id end) stored
    references ledger_transfer (idempotency_key) deferrable initially deferred,
  created_at      timestamptz not null default clock_timestamp(),
  unique (account_id, number),
  unique (account_id, number, carried_out),
  unique (id, account_id),
  constraint usage_settlement_follows_the_previous
    foreign key (account_id, previous_number, carried_in)
    references usage_settlement (account_id, number, carried_out),
  constraint usage_settlement_adds_up check (carried_in + total_nano = micro * 1000 + carried_out),
  constraint usage_settlement_first_carries_nothing_in check (number > 1 or carried_in = 0)
);
comment on table usage_settlement is
  'Charges pending usage events of an account with one posting. Insert-only.';
comment on column usage_settlement.number is
  'Numbers the settlements of the account without a gap.';
comment on column usage_settlement.total_nano is 'Nano-USD: the sum of the events.';
comment on column usage_settlement.carried_in is
  'Nano-USD below one micro-USD that the previous settlement left.';
comment on column usage_settlement.carried_out is
  'Nano-USD below one micro-USD that the next settlement takes.';
comment on column usage_settlement.micro is 'What was charged. Without a posting when it is 0.';
create trigger usage_settlement_insert_only before update or delete on usage_settlement
  for each row execute function refuse_change();
create trigger usage_settlement_no_truncate before truncate on usage_settlement
  for each statement execute function refuse_change();
grant select, insert (account_id, number, events, total_nano, carried_in, carried_out, micro) on
  usage_settlement to guildhall_app;

create table usage_event (
  id              uuid primary key default uuid_v7(),
  account_id      uuid not null references billing_account,
  idempotency_key text not null unique check (length(idempotency_key) between 1 and 200),
  amount          bigint not null check (amount between 0 and 100000000000000),
  reference_type  text not null check (length(reference_type) between 1 and 50),
  reference_id    uuid not null,
  occurred_at     timestamptz not null,
  recorded_at     timestamptz not null default clock_timestamp(),
  settlement_id   uuid,
  kind            text not null default 'model' check (kind in ('model', 'pod', 'erp_instance')),
  task_id         uuid,
  project_id      uuid,
  organization_id uuid,
  user_id         uuid,
  model           text check (length(model) between 1 and 100),
  input_tokens    bigint check (input_tokens >= 0),
  output_tokens   bigint check (output_tokens >= 0),
  pod_seconds     bigint check (pod_seconds >= 0),
  charged         boolean not null default true,
  foreign key (settlement_id, account_id) references usage_settlement (id, account_id),
  constraint usage_event_counts_something
    check (coalesce(greatest(amount, input_tokens, output_tokens, pod_seconds), 0) > 0)
);
comment on table usage_event is 'One thing that was used. Settled once, with many others.';
comment on column usage_event.amount is
  'Nano-USD: a token costs less than a micro-USD. The limit keeps the sum of a batch within a posting.';
comment on column usage_event.task_id is
  'Copied, as are the project, the workspace and the person: they may be deleted later. Null where nothing says.';
comment on column usage_event.organization_id is
  'The workspace whose account pays; null for a person''s.';
comment on column usage_event.user_id is 'Who asked for the work: the turn, or else the task.';
comment on column usage_event.input_tokens is
  'With those of the cache. Null where nothing was reported.';
comment on column usage_event.charged is
  'False for what was used while BILLING was off: it is never settled.';
create index usage_event_settlement on usage_event (settlement_id);
-- An export reads lines in the order of their time. A workspace is found by its account.
create index usage_event_of_account on usage_event (account_id, occurred_at, id);
create index usage_event_of_user on usage_event (user_id, occurred_at, id);
create index usage_event_of_project on usage_event (project_id, occurred_at, id);
create index usage_event_of_task on usage_event (task_id, occurred_at, id);
-- Usage that is not charged is never settled, and would fill the index of what is pending.
create index usage_event_unsettled on usage_event (account_id, occurred_at, id)
  where settlement_id is null and charged;
create trigger usage_event_check before update on usage_event
  for each row execute function check_usage_event();
create trigger usage_event_no_delete before delete on usage_event
  for each row execute function refuse_change();
create trigger usage_event_no_truncate before truncate on usage_event
  for each statement execute function refuse_change();
create trigger usage_event_is_settled_whole
  after update on usage_event referencing new table as changed
  for each statement execute function check_settled_total();
create trigger usage_event_adds_to_day after insert on usage_event referencing new table as recorded
  for each statement execute function add_usage_to_day();
grant select, insert (account_id, idempotency_key, amount, reference_type, reference_id,
  occurred_at, kind, task_id, project_id, organization_id, user_id, model, input_tokens,
  output_tokens, pod_seconds), update (settlement_id) on usage_event to guildhall_app;

create table usage_day (
  id              uuid primary key default uuid_v7(),
  account_id      uuid not null references billing_account,
  day             date not null,
  kind            text not null,
  task_id         uuid,
  project_id      uuid,
  organization_id uuid,
  user_id         uuid,
  model           text,
  amount          bigint not null check (amount >= 0),
  input_tokens    bigint not null check (input_tokens >= 0),
  output_tokens   bigint not null check (output_tokens >= 0),
  pod_seconds     bigint not null check (pod_seconds >= 0),
  events          bigint not null check (events > 0),
  constraint usage_day_is_one_row unique nulls not distinct
    (account_id, day, task_id, kind, model, user_id, project_id, organization_id)
) with (fillfactor=80);
comment on table usage_day is
  'The sums of usage_event by day and by everything that usage is grouped by. Only its trigger writes.';
comment on column usage_day.day is 'In UTC, of occurred_at.';
comment on column usage_day.amount is 'Nano-USD.';
create index usage_day_of_user on usage_day (user_id, day);
create index usage_day_of_project on usage_day (project_id, day);
create index usage_day_of_task on usage_day (task_id, day);
create trigger usage_day_no_delete before delete on usage_day
  for each row execute function refuse_change();
create trigger usage_day_no_truncate before truncate on usage_day
  for each statement execute function refuse_change();
grant select on usage_day to guildhall_app;

create table spend_limit (
  id         uuid primary key default gen_random_uuid(),
  account_id uuid not null references billing_account,
  project_id uuid references project on delete cascade,
  user_id    uuid references app_user on delete cascade,
  task_id    uuid,
  subject    text not null generated always as (
      case when project_id is not null then 'project'
           when user_id is not null then 'member'
           when task_id is not null then 'task'
           else 'balance' end) stored,
  subject_id uuid generated always as (coalesce(project_id, user_id, task_id)) stored,
  amount     bigint not null check (amount between 1 and 1000000000000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  warned_in  date,
  reached_in date,
  constraint spend_limit_is_one_row unique nulls not distinct (account_id, subject_id),
  constraint spend_limit_has_one_subject check (num_nonnulls(project_id, user_id, task_id) <= 1)
);
comment on table spend_limit is
  'What may be spent of a balance in a calendar month (UTC): as a whole, for a project, for what a person asked for, or for a task. Whoever reads what is left, or changes a limit, locks the account.';
comment on column spend_limit.project_id is
  'Null, as are the person and the task, for the whole balance.';
comment on column spend_limit.amount is 'Micro-USD.';
comment on column spend_limit.warned_in is
  'The first day of the month for which four fifths of this amount were found to be spent.';
comment on column spend_limit.reached_in is 'The same for all of it.';
create index spend_limit_of_project on spend_limit (project_id);
create index spend_limit_of_user on spend_limit (user_id);
create index spend_limit_of_task on spend_limit (task_id);
grant select, insert, update, delete on spend_limit to guildhall_app;

create table spend_limit_warning (
  id         uuid primary key default uuid_v7(),
  limit_id   uuid not null,
  user_id    uuid not null references app_user on delete cascade,
  month      date not null check (extract(day from month) = 1),
  level      text not null check (level in ('warned', 'reached')),
  amount     bigint not null check (amount > 0),
  created_at timestamptz not null default now(),
  account_id uuid not null references billing_account,
  subject_id uuid,
  constraint spend_limit_warning_once unique nulls not distinct
    (account_id, subject_id, month, level, amount, user_id)
);
comment on table spend_limit_warning is
  'Mail about a limit to one person, once for each month, level and amount: the subject of the mail. It stays when the limit is removed.';
comment on column spend_limit_warning.limit_id is 'The limit as it was then; it may be gone.';
comment on column spend_limit_warning.account_id is 'The balance of the limit, by a trigger.';
comment on column spend_limit_warning.subject_id is
  'What the limit is on, by a trigger: a project, a person or a task; null for the whole balance.';
create index spend_limit_warning_of_user on spend_limit_warning (user_id);
create trigger spend_limit_warning_has_its_place before insert on spend_limit_warning
  for each row execute function place_spend_limit_warning();
grant select, insert, delete on spend_limit_warning to guildhall_app;

-- Invoices, and what the processor says -----------------------------------------------------------

create table billing_details (
  id            uuid primary key references billing_account,
  name          text check (length(name) between 1 and 200),
  address       text[] check (cardinality(address) between 1 and 6),
  country       text check (country ~ '^[A-Z]{2}$'),
  tax_id        text check (length(tax_id) between 1 and 50),
  email         text
    check (email = btrim(email) and position('@' in email) > 1 and length(email) <= 320),
  mail_receipts boolean not null default false,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now()
);
comment on table billing_details is
  'What invoices say of a customer: one row for each account of a person or a workspace.';
comment on column billing_details.id is 'The id of the account.';
comment on column billing_details.address is 'The lines below the name, without the country.';
comment on column billing_details.country is 'ISO 3166-1 alpha-2.';
comment on column billing_details.email is 'Where receipts go; without it, to the person who pays.';
comment on column billing_details.mail_receipts is 'Whether receipts are mailed at all.';
grant select, insert, update on billing_details to guildhall_app;

create table invoice_issuer (
  id                  uuid primary key default uuid_v7(),
  name                text not null check (length(name) between 1 and 200),
  address             text[] not null default '{}' check (cardinality(address) <= 6),
  country             text check (country ~ '^[A-Z]{2}$'),
  tax_id              text check (length(tax_id) between 1 and 50),
  prefix              text not null check (prefix ~ '^([A-Z0-9/-]{0,19}[A-Z/-])?$'),
  tax_name            text not null check (length(tax_name) between 1 and 50),
  tax_rates           jsonb not null default '{}',
  reverse_charge_note text not null check (length(reverse_charge_note) between 1 and 300),
  created_at          timestamptz not null default now()
);
comment on table invoice_issuer is
  'Who issues invoices, and the taxes: the operator''s settings as a server read them. The newest row counts.';
comment on column invoice_issuer.tax_rates is
  'In percent, by the country of the customer; * is every other one.';
create trigger invoice_issuer_insert_only before update or delete on invoice_issuer
  for each row execute function refuse_change();
create trigger invoice_issuer_no_truncate before truncate on invoice_issuer
  for each statement execute function refuse_change();
grant select, insert on invoice_issuer to guildhall_app;

create table invoice_counter (
  prefix text,
  year   integer,
  last   bigint not null default 0 check (last >= 0),
  primary key (prefix, year)
);
comment on table invoice_counter is
  'The last number of each series. Only the trigger that numbers invoices writes.';
grant select on invoice_counter to guildhall_app;

create table invoice (
  id               uuid primary key default uuid_v7(),
  kind             text not null check (kind in ('invoice', 'credit_note', 'debit_note')),
  number           text not null unique,
  prefix           text not null,
  year             integer not null,
  sequence         bigint not null check (sequence > 0),
  issued_at        timestamptz not null,
  account_id       uuid not null references billing_account,
  top_up_id        uuid not null references top_up,
  transfer_key     text not null references ledger_transfer (idempotency_key) unique,
  charged_at       timestamptz not null,
  total            bigint not null check (total > 0),
  tax              bigint not null check (tax >= 0),
  tax_rate         numeric(6,3) not null check (tax_rate >= 0),
  tax_name         text not null,
  tax_note         text,
  customer_name    text not null,
  customer_address text[] not null,
  customer_country text,
  customer_tax_id  text,
  customer_email   text,
  issuer_name      text not null,
  issuer_address   text[] not null,
  issuer_country   text,
  issuer_tax_id    text,
  card_brand       text not null,
  card_last4       text not null,
  processor        text not null,
  constraint invoice_number_in_series unique (prefix, year, sequence),
  constraint invoice_tax_within_total check (tax <= total),
  constraint invoice_year_of_issue check (year = extract(year from issued_at at time zone 'UTC'))
);
comment on table invoice is
  'Invoices of top-ups, credit notes of refunds, and debit notes of refunds that failed later. Insert-only; all that is printed is a copy.';
comment on column invoice.account_id is 'The account that the posting moved.';
comment on column invoice.total is 'Micro-USD, with tax.';
comment on column invoice.tax is 'Micro-USD, in whole cents.';
create unique index invoice_once_a_top_up on invoice (top_up_id) where kind = 'invoice';
create index invoice_of_top_up on invoice (top_up_id);
create index invoice_of_account on invoice (account_id, issued_at, id);
create trigger invoice_insert_only before update or delete on invoice
  for each row execute function refuse_change();
create trigger invoice_no_truncate before truncate on invoice
  for each statement execute function refuse_change();
create trigger invoice_gets_number before insert on invoice
  for each row execute function number_invoice();
grant select, insert on invoice to guildhall_app;

create table invoice_due (
  transfer_key  text primary key references ledger_transfer (idempotency_key),
  top_up_id     uuid not null,
  created_at    timestamptz not null default now(),
  mails_receipt boolean not null default true
);
comment on table invoice_due is
  'Postings that need an invoice or a note and have none yet. Empty, but for what an earlier release posted.';
comment on column invoice_due.mails_receipt is
  'Whether its document may be mailed; false for what was posted before receipts existed.';
create index invoice_due_of_top_up on invoice_due (top_up_id);
grant select, delete on invoice_due to guildhall_app;

create table billing_notice (
  id                uuid primary key default uuid_v7(),
  kind              text not null
    check (kind in ('auto_reload_failed', 'low_balance', 'card_expiring', 'card_expired')),
  user_id           uuid not null references app_user on delete cascade,
  account_id        uuid not null references billing_account,
  occasion          text not null check (length(occasion) between 1 and 200),
  top_up_id         uuid references top_up,
  payment_method_id text references payment_method,
  expires_at        timestamptz,
  threshold         bigint,
  created_at        timestamptz not null default now(),
  constraint billing_notice_once unique (kind, occasion, user_id)
);
comment on table billing_notice is
  'Mail to one person about a balance or a card, once for each occasion: the subject of the mail.';
comment on column billing_notice.account_id is 'The balance that it is about.';
comment on column billing_notice.occasion is
  'The charge that failed, the posting after which the balance was low, or the card with its expiry.';
comment on column billing_notice.expires_at is 'When the card ends, as it was then.';
comment on column billing_notice.threshold is 'Micro-USD that the balance fell below.';
create index billing_notice_of_user on billing_notice (user_id);
create index billing_notice_of_account on billing_notice (account_id);
create index billing_notice_of_top_up on billing_notice (top_up_id);
create index billing_notice_of_card on billing_notice (payment_method_id);
grant select, insert on billing_notice to guildhall_app;

create table balance_transaction (
  id         text primary key check (id ~ '^[!-~]{1,255}$'),
  category   text not null check (category in ('charge', 'refund', 'dispute', 'fee', 'other')),
  type       text not null check (length(type) between 1 and 255),
  amount     bigint not null,
  fee        bigint not null,
  net        bigint not null generated always as (amount - fee) stored,
  currency   text not null check (currency ~ '^[a-z]{3}$'),
  source_id  text,
  intent_id  text,
  top_up_id  text,
  created_at timestamptz not null,
  fetched_at timestamptz not null default now()
);
comment on table balance_transaction is
  'Every change of the balance at Stripe, as Stripe reports it. Insert-only.';
comment on column balance_transaction.category is
  'Ours, of what Stripe calls its reporting category.';
comment on column balance_transaction.amount is
  'Micro-USD, negative for what leaves. In another currency, its hundredths times 10,000.';
comment on column balance_transaction.fee is
  'What Stripe keeps of it, in the same unit; negative for a fee that is returned.';
comment on column balance_transaction.source_id is 'The charge, refund or dispute.';
comment on column balance_transaction.intent_id is 'Its payment intent.';
comment on column balance_transaction.top_up_id is
  'What the charge says of the top-up that it is for. Text, because it may be of another database.';
comment on column balance_transaction.created_at is 'By the clock of Stripe.';
create index balance_transaction_time on balance_transaction (created_at);
create index balance_transaction_intent on balance_transaction (intent_id);
create trigger balance_transaction_insert_only before update or delete on balance_transaction
  for each row execute function refuse_change();
create trigger balance_transaction_no_truncate before truncate on balance_transaction
  for each statement execute function refuse_change();
grant select, insert on balance_transaction to guildhall_app;

create table balance_fetch (
  only_one      boolean primary key default true check (only_one),
  fetched_until timestamptz not null
);
comment on table balance_fetch is 'How far the changes of the balance at Stripe were fetched.';
comment on column balance_fetch.fetched_until is 'Everything before was fetched.';
grant select, insert, update on balance_fetch to guildhall_app;

-- Tasks and plans ---------------------------------------------------------------------------------

create table task (
  id                 uuid primary key default gen_random_uuid(),
  project_id         uuid not null references project on delete cascade,
  title              text not null check (length(title) between 1 and 300),
  created_by_user_id uuid not null references app_user,
  created_at         timestamptz not null default now(),
  updated_at         timestamptz not null default now(),
  status             text not null default 'ready'
    check (status in
      ('queued', 'planning', 'awaiting_approval', 'building', 'awaiting_answer', 'paused', 'ready',
      'failed', 'cancelled')),
  status_reason      text,
  model              text check (length(model) between 1 and 100),
  spend_cap          bigint check (spend_cap > 0),
  archived_at        timestamptz,
  fence              bigint not null default 0,
  last_turn          integer not null default 0,
  last_message       integer not null default 0,
  constraint task_status_reason_fits check (
    case status
    when 'paused' then status_reason is not null and status_reason in
    ('insufficient_funds', 'account_not_active', 'spend_cap', 'spend_limit', 'pod_lost', 'drain')
    when 'failed' then status_reason is not null and length(status_reason) between 1 and 500
    else status_reason is null end),
  constraint task_title_is_name check (is_name(title))
);
comment on table task is 'One conversation with an agent inside a project.';
comment on column task.status is
  'An approved plan whose start is not claimed yet leaves it awaiting_approval; it is shown as queued.';
comment on column task.status_reason is 'Why it is paused (a code) or failed (a sentence).';
comment on column task.model is 'Null is the default of the project.';
comment on column task.spend_cap is 'Micro-USD that the task may cost in all.';
comment on column task.archived_at is 'Archived tasks are left out of lists.';
comment on column task.fence is
  'Grows with each claim of a turn: whoever writes for the task names it, and an older one is refused.';
comment on column task.last_turn is 'The number of its newest turn; 0 before the first.';
comment on column task.last_message is 'The number of its newest message; 0 before the first.';
create index task_newest on task (project_id, created_at desc, id desc);
create index task_created_by on task (created_by_user_id);
create unique index task_of_project on task (id, project_id);
create index task_title_search on task using gin (lower(title) gin_trgm_ops);
create index task_by_status on task (project_id, status, created_at desc, id desc);
create index task_by_creator on task (project_id, created_by_user_id, created_at desc, id desc);
-- Tasks that paused are looked for again and again, until somebody can pay.
create index task_paused on task (status_reason, id) where status = 'paused';
create trigger task_stays before update of project_id on task
  for each row execute function keep_columns('project_id');
create trigger task_transition before update of status on task
  for each row execute function check_task_transition();
create trigger task_touched
  before update of title, status, status_reason, model, spend_cap, archived_at on task
  for each row
  when ((old.title, old.status, old.status_reason, old.model, old.spend_cap, old.archived_at)
        is distinct from
        (new.title, new.status, new.status_reason, new.model, new.spend_cap, new.archived_at))
  execute function touch_task();
create trigger task_pauses
  after update of status on task
  for each row
  when ((old.status = 'paused') <> (new.status = 'paused')) execute function pause_turns();
grant select, insert, update, delete on task to guildhall_app;
alter table spend_limit add foreign key (task_id)
  references task on delete cascade;

create table plan_revision (
  task_id        uuid,
  version        integer check (version > 0),
  body           text not null,
  sha256         bytea not null,
  created_at     timestamptz not null default now(),
  author_user_id uuid,
  primary key (task_id, version),
  constraint plan_revision_author foreign key (author_user_id) references app_user,
  constraint plan_revision_of_task foreign key (task_id) references task on delete cascade
);
comment on table plan_revision is
  'Each text of a plan, as it was written. Insert-only; deleted with the task.';
comment on column plan_revision.sha256 is 'Of the text in UTF-8, computed by a trigger.';
comment on column plan_revision.author_user_id is 'The person who wrote it; null is the agent.';
create index plan_revision_author on plan_revision (author_user_id);
create trigger plan_revision_hash before insert on plan_revision
  for each row execute function hash_plan_revision();
create trigger plan_revision_insert_only before update or delete on plan_revision
  for each row execute function refuse_change();
create trigger plan_revision_no_truncate before truncate on plan_revision
  for each statement execute function refuse_change();
grant select, insert on plan_revision to guildhall_app;

create table plan_approval (
  task_id             uuid,
  version             integer,
  approved_by_user_id uuid not null references app_user,
  approved_at         timestamptz not null default now(),
  approval_source     text not null default 'person',
  primary key (task_id, version),
  constraint plan_approval_of_revision
    foreign key (task_id, version) references plan_revision on delete cascade,
  constraint plan_approval_source_check check (approval_source in ('person', 'policy'))
);
comment on table plan_approval is
  'Who approved which version of a plan, and when. Insert-only; deleted with the task.';
comment on column plan_approval.approval_source is
  'policy: the project approves plans automatically. approved_by_user_id is then the creator of the task, who did not look at it.';
create index plan_approval_approved_by on plan_approval (approved_by_user_id);
-- For the foreign key plan_approved_as.
create unique index plan_approval_whole
  on plan_approval (task_id, version, approved_by_user_id, approved_at);
create trigger plan_approval_insert_only before update or delete on plan_approval
  for each row execute function refuse_change();
create trigger plan_approval_no_truncate before truncate on plan_approval
  for each statement execute function refuse_change();
grant select, insert on plan_approval to guildhall_app;

create table plan (
  task_id             uuid primary key,
  version             integer not null,
  approved_version    integer,
  approved_by_user_id uuid,
  approved_at         timestamptz,
  project_id          uuid,
  revised_at          timestamptz,
  policy_version      integer,
  -- What the plan says of its approval is what the approval says.
  constraint plan_approved_as
    foreign key (task_id, approved_version, approved_by_user_id, approved_at)
    references plan_approval (task_id, version, approved_by_user_id, approved_at) on delete cascade,
  constraint plan_current_revision
    foreign key (task_id, version) references plan_revision on delete cascade,
  constraint plan_of_task foreign key (task_id) references task on delete cascade,
  constraint plan_approval_is_complete
    check (num_nulls(approved_version, approved_by_user_id, approved_at) in (0, 3)),
  constraint plan_approved_version_exists check (approved_version <= version),
  constraint plan_policy_version_is_approved
    check (
    policy_version is null or (approved_version is not null and policy_version <= approved_version)
    )
);
comment on table plan is
  'The plan of a task as it stands: which revision is current, and which one is approved.';
comment on column plan.approved_version is
  'May be older than the current version, which is not approved then.';
comment on column plan.project_id is 'That of the task, from a trigger.';
comment on column plan.revised_at is 'When the current revision was written, from a trigger.';
comment on column plan.policy_version is
  'The newest version that a policy approved: if it is approved_version, no person approved that.';
-- A page of the inbox reads the newest plans of each project that wait, and no others.
create index plan_open_newest on plan (project_id, revised_at desc, task_id desc)
  where approved_version is distinct from version;
create trigger plan_is_placed before insert or update of version on plan
  for each row execute function place_plan();
grant select, insert, update on plan to guildhall_app;

create table plan_comment (
  id                  uuid primary key default uuid_v7(),
  task_id             uuid not null,
  version             integer not null,
  start_line          integer not null,
  end_line            integer not null,
  current_start_line  integer check (current_start_line > 0),
  text                text not null check (length(text) between 1 and 10000),
  author_user_id      uuid not null references app_user,
  resolved_at         timestamptz,
  resolved_by_user_id uuid references app_user,
  created_at          timestamptz not null default now(),
  updated_at          timestamptz not null default now(),
  constraint plan_comment_of_revision
    foreign key (task_id, version) references plan_revision on delete cascade,
  constraint plan_comment_lines_in_order check (1 <= start_line and start_line <= end_line),
  constraint plan_comment_resolution_is_complete check (
    (resolved_at is null) = (resolved_by_user_id is null))
);
comment on table plan_comment is 'What people say about lines of a version of a plan.';
comment on column plan_comment.version is 'The version whose lines it is about.';
comment on column plan_comment.current_start_line is
  'Where the same lines begin in the current version; null if that has changed them.';
create index plan_comment_of_task on plan_comment (task_id, id);
create index plan_comment_author on plan_comment (author_user_id);
create index plan_comment_resolved_by on plan_comment (resolved_by_user_id);
grant select, insert, update, delete on plan_comment to guildhall_app;

create table task_turn (
  id                   uuid primary key default uuid_v7(),
  task_id              uuid not null references task on delete cascade,
  number               integer not null check (number > 0),
  kind                 text not null check (kind in ('plan', 'build', 'prompt')),
  source               text not null unique check (length(source) between 1 and 200),
  prompt               text not null check (length(prompt) <= 400000),
  plan_version         integer,
  state                text not null default 'queued'
    check (state in
      ('queued', 'running', 'waiting', 'done', 'failed', 'cancelled', 'interrupted')),
  requested_by_user_id uuid references app_user,
  account_id           uuid references billing_account,
  owner                text check (length(owner) between 1 and 200),
  attempt              integer not null default 0 check (attempt >= 0),
  lease_until          timestamptz,
  not_before           timestamptz not null default now(),
  deadline_at          timestamptz,
  cancel_requested_at  timestamptz,
  spent_nano           bigint not null default 0 check (spent_nano >= 0),
  error                text check (length(error) <= 2000),
  created_at           timestamptz not null default now(),
  started_at           timestamptz,
  ended_at             timestamptz,
  mode                 text check (mode in ('plan', 'build')),
  losses               integer not null default 0 check (losses >= 0),
  published_at              timestamptz,
  covered_nano         bigint not null default 0 check (covered_nano >= 0),
  paused               boolean not null default false,
  uncovered_nano       bigint not null default 0 check (uncovered_nano >= 0),
  needed               bigint check (needed > 0),
  constraint task_turn_numbered unique (task_id, number),
  constraint task_turn_of_revision
    foreign key (task_id, plan_version) references plan_revision on delete cascade,
  constraint task_turn_builds_a_plan check ((kind = 'build') = (plan_version is not null)),
  constraint task_turn_ends_once check (
    (state in ('done', 'failed', 'cancelled')) = (ended_at is not null)),
  constraint task_turn_is_leased_while_it_runs check (
    (state in ('running', 'waiting')) = (owner is not null and lease_until is not null))
);
comment on table task_turn is
  'One prompt to the agent and all the work until the agent ends it. At most one of a task runs.';
comment on column task_turn.source is
  'What asked for it (a message, an approval, a request for changes): makes it happen once.';
comment on column task_turn.plan_version is 'The approved version that a build turn carries out.';
comment on column task_turn.state is
  'waiting: for a person''s answer, with its agent alive. interrupted: free to be taken over.';
comment on column task_turn.account_id is
  'The billing account that pays, known once it is claimed.';
comment on column task_turn.owner is 'The worker that runs it, until lease_until.';
comment on column task_turn.attempt is 'How often it was claimed.';
comment on column task_turn.spent_nano is 'Nano-USD that it has cost so far.';
comment on column task_turn.mode is
  'What its agent may do, known once it is claimed: plan only reads.';
comment on column task_turn.losses is
  'How often its worker vanished; interruptions that a worker announced do not count.';
comment on column task_turn.published_at is
  'When the end of the turn was appended to the events of its task.';
comment on column task_turn.covered_nano is
  'Nano-USD that spent_nano may reach before the turn needs another hold.';
comment on column task_turn.paused is
  'Whether it waits because its task is paused: a copy that triggers keep, for the index of turns that are due.';
comment on column task_turn.uncovered_nano is
  'Nano-USD that the agent has reported and that were not charged, because funds or a cap did not cover them.';
comment on column task_turn.needed is
  'Micro-USD that must be there for a paused turn to go on; null where any amount will do.';
create unique index task_turn_running on task_turn (task_id) where state in ('running', 'waiting');
create index task_turn_due on task_turn (not_before, id) where state in ('queued', 'interrupted');
create index task_turn_leased on task_turn (lease_until) where state in ('running', 'waiting');
create index task_turn_revision on task_turn (task_id, plan_version) where plan_version is not null;
create index task_turn_requested_by on task_turn (requested_by_user_id);
create index task_turn_account on task_turn (account_id);
create index task_turn_unpublished on task_turn (task_id)
  where state in ('done', 'failed', 'cancelled') and published_at is null;
create index task_turn_claimable on task_turn (not_before, id)
  where state in ('queued', 'interrupted') and not paused;
create trigger task_turn_waits before insert on task_turn
  for each row execute function pause_new_turn();
grant select, insert, update, delete on task_turn to guildhall_app;

create table task_message (
  task_id        uuid references task on delete cascade,
  number         integer check (number > 0),
  turn_id        uuid references task_turn on delete cascade,
  role           text not null check (role in ('user', 'agent')),
  author_user_id uuid references app_user,
  content        text not null check (length(content) between 1 and 400000),
  created_at     timestamptz not null default now(),
  primary key (task_id, number),
  constraint task_message_has_author check ((role = 'user') = (author_user_id is not null))
);
comment on table task_message is
  'The conversation, which outlives the events of its turns. A person''s message of a turn that is queued has not been sent.';
create index task_message_turn on task_message (turn_id);
create index task_message_author on task_message (author_user_id);
grant select, insert, delete, update (turn_id) on task_message to guildhall_app;

create table agent_request (
  id                  uuid primary key default uuid_v7(),
  task_id             uuid not null references task on delete cascade,
  turn_id             uuid not null references task_turn on delete cascade,
  kind                text not null check (kind in ('question', 'permission')),
  title               text not null check (length(title) between 1 and 2000),
  options             jsonb not null default '[]' check (jsonb_typeof(options) = 'array'),
  state               text not null default 'open'
    check (state in ('open', 'answered', 'withdrawn')),
  answer_option_id    text check (length(answer_option_id) between 1 and 200),
  answer_text         text check (length(answer_text) between 1 and 20000),
  answered_by_user_id uuid references app_user,
  created_at          timestamptz not null default now(),
  ended_at            timestamptz,
  attempt             integer not null default 1 check (attempt > 0),
  asked_at            timestamptz not null default now(),
  delivered_at        timestamptz,
  constraint agent_request_answer_is_complete check (
    case state
    when 'answered' then num_nonnulls(answer_option_id, answer_text) = 1
    and answered_by_user_id is not null and ended_at is not null
    when 'withdrawn' then num_nonnulls(answer_option_id, answer_text, answered_by_user_id) = 0
    and ended_at is not null
    else num_nonnulls(answer_option_id, answer_text, answered_by_user_id, ended_at) = 0 end)
);
comment on table agent_request is 'A question or a permission that an agent waits for.';
comment on column agent_request.options is
  'Objects with id and name; empty when any text answers it.';
comment on column agent_request.attempt is
  'The attempt of the turn that asked last: another one that asks the same takes it over.';
comment on column agent_request.asked_at is 'When that attempt asked.';
comment on column agent_request.delivered_at is
  'When an agent had the answer: from then on it answers no other question.';
create index agent_request_of_task on agent_request (task_id, created_at, id);
create index agent_request_turn on agent_request (turn_id);
create index agent_request_answered_by on agent_request (answered_by_user_id);
create index agent_request_open on agent_request (task_id) where state = 'open';
grant select, insert, update on agent_request to guildhall_app;

create table task_worker (
  id       uuid primary key,
  fault    text check (fault in ('worker_unable', 'pods_unavailable')),
  confined boolean,
  seen_at  timestamptz not null default now()
);
comment on table task_worker is
  'A process that carries out tasks, or tries to. It renews its row every ten seconds; one that was not renewed for thirty is gone.';
comment on column task_worker.fault is 'Why it carries out none now; its log has the sentence.';
comment on column task_worker.confined is
  'Whether the processes of its pods are kept apart from the machine; not known while it is unable.';
create index task_worker_seen_at on task_worker (seen_at);
grant select, insert, update, delete on task_worker to guildhall_app;

-- Pods --------------------------------------------------------------------------------------------

create table pod (
  id                        uuid primary key default uuid_v7(),
  task_id                   uuid not null references task on delete cascade,
  driver                    text not null check (length(driver) between 1 and 50),
  external_id               text check (length(external_id) between 1 and 300),
  state                     text not null
    check (state in
      ('creating', 'running', 'paused', 'destroying', 'absent', 'failed', 'unknown')),
  generation                integer not null default 1 check (generation > 0),
  reason                    text check (length(reason) between 1 and 500),
  created_at                timestamptz not null default now(),
  started_at                timestamptz,
  expires_at                timestamptz,
  agent_session             text check (length(agent_session) between 1 and 300),
  spent_before_session_nano bigint not null default 0 check (spent_before_session_nano >= 0),
  isolation                 text check (length(isolation) between 1 and 1000),
  filled_at                 timestamptz,
  absences                  integer not null default 0 check (absences >= 0),
  checked_at                timestamptz,
  lost_at                   timestamptz,
  held_by                   text check (length(held_by) between 1 and 200),
  held_until                timestamptz,
  counted_until             timestamptz,
  uncounted_ms              bigint not null default 0 check (uncounted_ms >= 0),
  confined                  boolean,
  constraint pod_failed_for_a_reason check ((state = 'failed') = (reason is not null))
);
comment on table pod is 'Where the agent of a task works. At most one exists per task.';
comment on column pod.state is
  'unknown: its driver does not answer; it is replaced only after the driver has answered absent twice.';
comment on column pod.agent_session is 'What its agent calls the conversation, to go on with it.';
comment on column pod.spent_before_session_nano is
  'Nano-USD that the task had cost when agent_session began.';
comment on column pod.isolation is 'What confines its processes, as a sentence for people.';
comment on column pod.filled_at is
  'When its work tree had the last commit of the task: before, a turn fills it again.';
comment on column pod.absences is
  'How often its driver has answered that it is gone, since it did not answer.';
comment on column pod.checked_at is 'When its driver was last asked for it while it was unknown.';
comment on column pod.lost_at is 'When it was found to be gone although nobody had destroyed it.';
comment on column pod.held_until is
  'Until then, held_by alone works on it while no turn runs: a turn that begins waits.';
comment on column pod.counted_until is
  'While it runs: the time of it until then is in usage, or in uncounted_ms.';
comment on column pod.uncounted_ms is 'Milliseconds in which it ran and that are not in usage yet.';
comment on column pod.confined is
  'Whether its processes are kept apart from the machine; not known of pods that were started before this was stored.';
create index pod_all_of_task on pod (task_id, created_at);
create index pod_expiring on pod (expires_at) where state not in ('absent', 'failed');
create unique index pod_of_task on pod (task_id)
  where state not in ('absent', 'failed', 'destroying');
create index pod_unknown on pod (checked_at) where state = 'unknown';
create index pod_uncounted on pod (counted_until, id)
  where counted_until is not null or uncounted_ms >= 1000;
create trigger pod_transition before update of state on pod
  for each row execute function check_pod_transition();
create trigger pod_time before insert or update of state on pod
  for each row execute function count_pod_time();
grant select, insert, update on pod to guildhall_app;

create table pod_request (
  task_id              uuid primary key references task on delete cascade,
  action               text not null check (action in ('start', 'stop')),
  requested_by_user_id uuid not null references app_user,
  requested_at         timestamptz not null default now(),
  not_before           timestamptz not null default now(),
  attempts             integer not null default 0 check (attempts >= 0)
);
comment on table pod_request is
  'That the pod of a task shall run, or rest. A worker that has seen to it deletes the row.';
comment on column pod_request.not_before is
  'When a worker may try: a while later once one has begun, in case that it dies.';
create index pod_request_due on pod_request (not_before);
create index pod_request_requested_by on pod_request (requested_by_user_id);
grant select, insert, update, delete on pod_request to guildhall_app;

create table pod_log (
  pod_id     uuid primary key references pod on delete cascade,
  content    text not null check (octet_length(content) <= 65536),
  updated_at timestamptz not null default now()
);
comment on table pod_log is 'The last that the agents of a pod have written beside their messages.';
grant select, insert, update on pod_log to guildhall_app;

-- Files and events of tasks -----------------------------------------------------------------------

create table attachment (
  id                  uuid primary key default uuid_v7(),
  project_id          uuid not null references project on delete cascade,
  task_id             uuid,
  message_number      integer,
  uploaded_by_user_id uuid not null references app_user,
  name                text not null
    check (
      octet_length(name) between 1 and 255 and name !~ '[\u0001-\u001f\u007f-\u009f/\\]'
      and name not in ('.', '..')),
  media_type          text not null
    check (media_type ~ '^[a-z0-9.+-]+/[a-z0-9.+-]+$' and length(media_type) <= 127),
  size                bigint not null check (size >= 0),
  sha256              text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  storage_key         text collate "C" not null
    check (storage_key ~ '^[0-9a-f-]{36}/[0-9a-f-]{36}$'),
  created_at          timestamptz not null default now(),
  constraint attachment_stored_once unique (storage_key),
  constraint attachment_of_message
    foreign key (task_id, message_number)
    references task_message on delete set null (message_number),
  constraint attachment_of_task
    foreign key (task_id, project_id) references task (id, project_id) on delete cascade,
  constraint attachment_name_is_name check (is_name(name)),
  constraint attachment_of_message_is_of_task check (message_number is null or task_id is not null)
);
comment on table attachment is
  'A file that a person gives to a task. Without a task, it waits for the first message of one, for a day.';
comment on column attachment.message_number is 'The message of the task that it was sent with.';
comment on column attachment.name is
  'For people. It is never a path: the bytes are under storage_key.';
comment on column attachment.media_type is 'From the bytes, not from what their sender said.';
create index attachment_list on attachment (task_id, created_at, id);
create index attachment_message on attachment (task_id, message_number);
create index attachment_project on attachment (project_id);
create index attachment_uploaded_by on attachment (uploaded_by_user_id);
create index attachment_unused on attachment (created_at) where task_id is null;
create trigger attachment_stays
  before update on attachment
  for each row execute function keep_columns(
    'id', 'project_id', 'uploaded_by_user_id', 'name', 'media_type', 'size', 'sha256',
    'storage_key', 'created_at');
create trigger attachment_stays_with_its_task before update of task_id on attachment
  for each row when (old.task_id is not null) execute function keep_columns('task_id');
create trigger attachment_stored after insert on attachment referencing new table as changed
  for each statement execute function count_stored_files();
create trigger attachment_deleted after delete on attachment referencing old table as changed
  for each statement execute function count_stored_files();
grant select, insert, update, delete on attachment to guildhall_app;

create table artifact (
  id          uuid primary key default uuid_v7(),
  project_id  uuid not null references project on delete cascade,
  task_id     uuid not null,
  turn_id     uuid not null references task_turn on delete cascade,
  path        text not null
    check (
      octet_length(path) between 1 and 1024 and path !~ '[\u0001-\u001f\u007f-\u009f\\]'
      and path !~ '(^|/)([.]{0,2})(/|$)'),
  name        text not null generated always as (regexp_replace(path, '^.*/', '')) stored
    check (octet_length(name) between 1 and 255),
  media_type  text not null
    check (media_type ~ '^[a-z0-9.+-]+/[a-z0-9.+-]+$' and length(media_type) <= 127),
  size        bigint not null check (size >= 0),
  sha256      text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  storage_key text collate "C" not null check (storage_key ~ '^[0-9a-f-]{36}/[0-9a-f-]{36}$'),
  created_at  timestamptz not null default now(),
  published_at     timestamptz,
  constraint artifact_path_once unique (turn_id, path),
  constraint artifact_stored_once unique (storage_key),
  constraint artifact_of_task
    foreign key (task_id, project_id) references task (id, project_id) on delete cascade
);
comment on table artifact is 'A file that a turn of the agent has produced.';
comment on column artifact.path is
  'Where the agent wrote it, relative to its folder. The bytes are under storage_key.';
comment on column artifact.name is 'The last part of the path.';
comment on column artifact.published_at is
  'When it was appended to the events of its task.';
create index artifact_list on artifact (task_id, created_at, id);
create index artifact_project on artifact (project_id);
create trigger artifact_stored after insert on artifact referencing new table as changed
  for each statement execute function count_stored_files();
create trigger artifact_deleted after delete on artifact referencing old table as changed
  for each statement execute function count_stored_files();
grant select, insert, delete, update (published_at) on artifact to guildhall_app;

create table project_storage (
  project_id uuid primary key references project on delete cascade,
  files      bigint not null default 0 check (files >= 0),
  bytes      bigint not null default 0 check (bytes >= 0)
);
comment on table project_storage is
  'How many files a project has and how large they are, from triggers.';
grant select, insert, update on project_storage to guildhall_app;

create table file_removal (
  storage_key text collate "C" primary key,
  removed_at  timestamptz not null default now()
);
comment on table file_removal is
  'Bytes whose row is gone, written by the statement that deleted it. A row stays until the file store has deleted them.';
grant select, insert, delete on file_removal to guildhall_app;

create table task_event (
  task_id    uuid,
  seq        bigint check (seq > 0),
  turn_id    uuid,
  type       text not null check (length(type) between 1 and 50),
  payload    text not null check (octet_length(payload) <= 262144),
  created_at timestamptz not null default now(),
  primary key (task_id, seq)
);
comment on table task_event is
  'What a task''s agent did, numbered per task without a gap. Rows are never changed; the oldest are deleted.';
comment on column task_event.payload is
  'JSON as text: jsonb takes no U+0000, which programs print, and costs more to read.';
grant select, insert, delete on task_event to guildhall_app;

create table task_event_outbox (
  id         uuid primary key default gen_random_uuid(),
  task_id    uuid not null,
  noted_at   timestamptz not null,
  type       text not null check (length(type) between 1 and 50),
  payload    json not null,
  log_seq    bigint check (log_seq >= 0),
  not_before timestamptz not null default now()
);
comment on table task_event_outbox is
  'Events of tasks that a worker has yet to append to the log, which is never in one transaction with this database. Triggers write them with the change that they are about.';
comment on column task_event_outbox.task_id is
  'No foreign key: a change of a check must not wait for the row of its task, which may be about to be deleted with the check.';
comment on column task_event_outbox.noted_at is
  'Their order within a task: later than that of all that could be seen.';
comment on column task_event_outbox.log_seq is
  'The newest event of the log before a worker first tried to append it: it is among those that follow, or nowhere.';
comment on column task_event_outbox.not_before is
  'When a worker may append it while no turn of the task is at work: a while later once one has begun.';
create index task_event_outbox_of_task on task_event_outbox (task_id, noted_at);
grant select, insert, update, delete on task_event_outbox to guildhall_app;

create table task_log (
  task_id   uuid primary key,
  last_seq  bigint not null default 0 check (last_seq >= 0),
  first_seq bigint not null default 1,
  fence     bigint not null check (fence > 0),
  owner     text not null check (length(owner) between 1 and 200),
  constraint task_log_first_is_in_reach check (first_seq between 1 and last_seq + 1)
) with (fillfactor=50);
comment on table task_log is
  'Where the events of a task end. No other table refers to it: it may be in a database of its own.';
comment on column task_log.last_seq is 'The newest event; 0 before the first.';
comment on column task_log.first_seq is 'The oldest event that is still kept.';
comment on column task_log.fence is 'Of task.fence: only a writer that names this one appends.';
comment on column task_log.owner is 'The worker that has the fence.';
grant select, insert, update, delete on task_log to guildhall_app;

-- Code --------------------------------------------------------------------------------------------

create table github_installation (
  id                   bigint primary key check (id > 0),
  account_login        text not null check (length(account_login) between 1 and 100),
  account_type         text not null check (account_type in ('User', 'Organization', 'Enterprise')),
  repository_selection text not null check (repository_selection in ('all', 'selected')),
  permissions          jsonb not null check (jsonb_typeof(permissions) = 'object'),
  suspended_at         timestamptz,
  deleted_at           timestamptz,
  looked_at            timestamptz not null default now(),
  created_at           timestamptz not null default now()
);
comment on table github_installation is
  'Where the GitHub App is installed, as GitHub said when it was last looked at.';
comment on column github_installation.id is 'The id that GitHub gave it.';
comment on column github_installation.permissions is 'By name: read, write or admin.';
grant select, insert, update on github_installation to guildhall_app;

create table github_connection (
  id              uuid primary key default gen_random_uuid(),
  installation_id bigint not null references github_installation,
  organization_id uuid references organization on delete cascade,
  user_id         uuid references app_user on delete cascade,
  created_at      timestamptz not null default now(),
  constraint github_connection_of_one check (num_nonnulls(organization_id, user_id) = 1)
);
comment on table github_connection is
  'That a workspace, or a person for personal projects, may use an installation.';
create unique index github_connection_of_workspace
  on github_connection (organization_id, installation_id);
create unique index github_connection_of_user on github_connection (user_id, installation_id);
create index github_connection_installation on github_connection (installation_id);
grant select, insert, update, delete on github_connection to guildhall_app;

create table github_delivery (
  id              uuid primary key,
  event           text not null check (length(event) between 1 and 100),
  action          text check (length(action) between 1 and 100),
  installation_id bigint,
  repository_id   bigint,
  subject         jsonb not null default '{}',
  received_at     timestamptz not null default now(),
  not_before      timestamptz not null default now(),
  attempts        integer not null default 0 check (attempts >= 0),
  done_at         timestamptz,
  last_error      text check (length(last_error) between 1 and 500)
);
comment on table github_delivery is
  'What a webhook of GitHub was about, so that a worker looks at it; not what it said.';
comment on column github_delivery.id is 'The id that GitHub gave the delivery: it counts once.';
comment on column github_delivery.subject is
  'What the event names in the repository: numbers of pull requests, commits, branches.';
create index github_delivery_due on github_delivery (not_before) where done_at is null;
create index github_delivery_received on github_delivery (received_at);
grant select, insert, update, delete on github_delivery to guildhall_app;

create table github_rate_limit (
  installation_id bigint primary key check (installation_id >= 0),
  until           timestamptz not null,
  refusals        integer not null default 0 check (refusals >= 0),
  refused_at      timestamptz
);
comment on table github_rate_limit is
  'Until when GitHub may not be asked for an installation; 0 is the App itself.';
comment on column github_rate_limit.refusals is 'How often in a row it has refused.';
grant select, insert, update, delete on github_rate_limit to guildhall_app;

create table repository (
  id                 uuid primary key default uuid_v7(),
  project_id         uuid not null references project on delete cascade,
  host               text not null check (host in ('local', 'github')),
  full_name          text not null check (length(full_name) between 1 and 200),
  default_branch     text not null default 'main',
  host_repository_id bigint,
  installation_id    bigint,
  created_at         timestamptz not null default now(),
  unavailable_reason text
    check (unavailable_reason in
      ('installation_gone', 'installation_suspended', 'permission_missing', 'repository_gone')),
  looked_at          timestamptz not null default now(),
  updated_at         timestamptz not null default now(),
  constraint repository_installation foreign key (installation_id) references github_installation,
  constraint repository_default_branch check (is_branch_name(default_branch)),
  constraint repository_id_of_host check (
    (host = 'github') = (host_repository_id is not null and installation_id is not null)),
  -- The name of a local one is a folder and a part of its address.
  constraint repository_name_of_host check (case host
    when 'local'  then full_name ~ '^[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9_-])?$'
    and full_name !~ '\.\.' and full_name !~ '\.(git|lock)$'
    when 'github' then full_name ~ '^[A-Za-z0-9_-]{1,39}/[A-Za-z0-9._-]{1,100}$' end),
  constraint repository_of_tasks
    check (host <> 'local' or full_name <> 'main' or default_branch = 'main'),
  constraint repository_unavailable_on_host check (unavailable_reason is null or host = 'github')
);
comment on table repository is
  'A repository that a project uses. Tasks work in the local one `main`, which cannot be detached. Detaching another local one removes the row; its code stays until the project is deleted.';
comment on column repository.unavailable_reason is
  'Why GitHub does not let this server use it, since it was last looked at.';
create unique index repository_attached on repository (project_id, host_repository_id);
create index repository_installation on repository (installation_id);
create unique index repository_name_taken on repository (project_id, lower(full_name))
  where host = 'local';
grant select, insert, update, delete on repository to guildhall_app;

create table repository_folder (
  id          uuid not null,
  only_one    boolean primary key default true check (only_one),
  place       text not null check (length(place) between 1 and 5000),
  recorded_at timestamptz not null default now()
);
comment on table repository_folder is
  'The folder of repositories in which tasks are worked on: one for all workers of this database.';
comment on column repository_folder.id is 'As in the file guildhall-id of that folder.';
comment on column repository_folder.place is
  'The machine and path where it was first used, for people.';
grant select, insert on repository_folder to guildhall_app;

create table merge_target (
  project_id uuid references project on delete cascade,
  branch     text check (is_branch_name(branch)),
  stage      text not null check (stage in ('staging', 'production')),
  primary key (project_id, branch),
  constraint merge_target_chosen check (is_chosen_branch(branch)),
  constraint merge_target_not_of_task check (branch not like 'task/%')
);
comment on table merge_target is
  'A branch that tasks of the project may be merged into, and whose right that takes.';
grant select, insert, update, delete on merge_target to guildhall_app;

create table pull_request (
  task_id           uuid primary key references task on delete cascade,
  repository_id     uuid not null references repository on delete cascade,
  number            integer not null check (number > 0),
  base              text not null check (is_branch_name(base)),
  title             text not null check (length(title) between 1 and 300),
  body              text not null check (length(body) <= 65536),
  state             text not null default 'open' check (state in ('open', 'merged', 'closed')),
  opened_by_user_id uuid not null references app_user,
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now(),
  head_sha          text check (head_sha ~ '^[0-9a-f]{40}$'),
  looked_at         timestamptz,
  pushed_at         timestamptz,
  url               text check (length(url) between 1 and 2000),
  base_sha          text check (base_sha ~ '^[0-9a-f]{40}$'),
  mergeable         boolean,
  merged_base_sha   text,
  merged_head_sha   text,
  merged_looked_at  timestamptz,
  unique (repository_id, number),
  constraint pull_request_merged_range check ((merged_base_sha is null) = (merged_head_sha is null)
    and (merged_head_sha is null or state = 'merged')
    and merged_base_sha ~ '^[0-9a-f]{40}$' and merged_head_sha ~ '^[0-9a-f]{40}$')
);
comment on table pull_request is
  'That the branch of a task is offered for merging. A task has one.';
comment on column pull_request.base is 'The branch that it is to be merged into.';
comment on column pull_request.head_sha is
  'The last commit of its branch when that was last looked at: its checks are those of that commit.';
comment on column pull_request.looked_at is
  'When a worker last looked whether its branch has moved, beside what it was told.';
comment on column pull_request.pushed_at is
  'When a person has last moved the branch of the task, as far as this server knows.';
comment on column pull_request.url is 'Where GitHub shows it; null for the local host.';
comment on column pull_request.base_sha is
  'The last commit of its base when GitHub was last looked at; null for the local host.';
comment on column pull_request.mergeable is
  'Whether GitHub said that it can be merged; null while GitHub computes it, and for the local host.';
comment on column pull_request.merged_base_sha is
  'With merged_head_sha, the two commits between which what was merged is the difference. A reference of the repository keeps both. Null until they are known.';
comment on column pull_request.merged_looked_at is
  'When both were last searched for in the repository of the server.';
create index pull_request_opened_by on pull_request (opened_by_user_id);
create index pull_request_looked_at on pull_request (looked_at nulls first) where state = 'open';
create index pull_request_open on pull_request (repository_id) where state = 'open';
-- Those of GitHub have an address there.
create index pull_request_on_github on pull_request (looked_at nulls first)
  where url is not null and (state = 'open' or looked_at is null);
create index pull_request_merged_unknown on pull_request (merged_looked_at nulls first)
  where state = 'merged' and merged_head_sha is null;
grant select, insert, update, delete on pull_request to guildhall_app;

create table merge (
  id                   uuid primary key default uuid_v7(),
  task_id              uuid not null references pull_request on delete cascade,
  branch               text not null check (is_branch_name(branch)),
  stage                text not null check (stage in ('staging', 'production')),
  method               text not null check (method in ('merge', 'squash')),
  expected_head_sha    text not null check (expected_head_sha ~ '^[0-9a-f]{40}$'),
  forced               boolean not null default false,
  state                text not null default 'queued'
    check (state in ('queued', 'merged', 'failed')),
  not_before           timestamptz not null default now(),
  attempts             integer not null default 0 check (attempts >= 0),
  failure_code         text check (length(failure_code) between 1 and 100),
  failure_message      text check (length(failure_message) between 1 and 1000),
  merge_commit_sha     text check (merge_commit_sha ~ '^[0-9a-f]{40}$'),
  requested_by_user_id uuid not null references app_user,
  created_at           timestamptz not null default now(),
  ended_at             timestamptz,
  looked_at            timestamptz,
  constraint merge_outcome check (
    (state = 'queued') = (ended_at is null)
    and (state = 'merged') = (merge_commit_sha is not null)
    and (state = 'failed') = (failure_code is not null and failure_message is not null))
);
comment on table merge is
  'A request to merge a task, and what came of it. A worker carries it out.';
comment on column merge.not_before is
  'When a worker may carry it out: a while later once one has begun, in case it dies.';
comment on column merge.looked_at is
  'When GitHub was last asked how the merge commit is deployed; null when it is to be asked now, and for the local host.';
-- A task is merged once; one that failed may be tried again.
create unique index merge_of_task on merge (task_id) where state <> 'failed';
create index merge_history on merge (task_id, created_at);
create index merge_due on merge (not_before) where state = 'queued';
create index merge_requested_by on merge (requested_by_user_id);
create index merge_to_look_at on merge (ended_at) where state = 'merged';
-- A deploy of a code host is found by the commit that a task was merged as.
create index merge_of_commit on merge (merge_commit_sha) where state = 'merged';
grant select, insert, update, delete on merge to guildhall_app;

create table check_suite (
  id         uuid primary key default uuid_v7(),
  task_id    uuid not null references pull_request on delete cascade,
  head_sha   text not null check (head_sha ~ '^[0-9a-f]{40}$'),
  state      text not null default 'queued' check (state in ('queued', 'running', 'completed')),
  conclusion text check (conclusion in ('none', 'passed', 'failed', 'cancelled')),
  attempts   integer not null default 0 check (attempts >= 0),
  held_by    uuid,
  held_until timestamptz,
  pod_id     uuid,
  created_at timestamptz not null default now(),
  ended_at   timestamptz,
  unique (task_id, head_sha),
  constraint check_suite_held check (
    state = 'running' or (held_by is null and held_until is null and pod_id is null)),
  constraint check_suite_outcome check (
    (state = 'completed') = (conclusion is not null)
    and (state = 'completed') = (ended_at is not null))
);
comment on table check_suite is
  'The checks of one commit of a pull request. Of the local host, a worker runs them one by one.';
comment on column check_suite.conclusion is
  'none: the commit has no checks. cancelled: the branch has moved since.';
comment on column check_suite.attempts is
  'How often a worker has begun with it, apart from those that have given it back.';
comment on column check_suite.held_by is
  'The attempt of a worker that alone may write what comes of it, until another one takes it over.';
comment on column check_suite.held_until is 'When another worker may take it over.';
comment on column check_suite.pod_id is 'The pod in which a check of it runs now.';
create index check_suite_due on check_suite (created_at) where state <> 'completed';
create index check_suite_pod on check_suite (pod_id) where pod_id is not null;
create index check_suite_failed on check_suite (task_id) where conclusion = 'failed';
grant select, insert, update, delete on check_suite to guildhall_app;

create table check_run (
  id              uuid primary key default uuid_v7(),
  suite_id        uuid not null references check_suite on delete cascade,
  position        integer not null check (position > 0),
  name            text not null check (length(name) between 1 and 300),
  command         text check (length(command) between 1 and 4000),
  timeout_minutes integer check (timeout_minutes between 1 and 60),
  host_check_id   bigint,
  details_url     text check (length(details_url) between 1 and 2000),
  state           text not null default 'queued'
    check (state in ('queued', 'in_progress', 'completed')),
  conclusion      text
    check (conclusion in (
      'success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out',
      'action_required', 'stale', 'startup_failure')),
  started_at      timestamptz,
  completed_at    timestamptz,
  unique (suite_id, "position"),
  constraint check_run_command check ((command is null) = (timeout_minutes is null)),
  constraint check_run_outcome check (
    (state = 'completed') = (conclusion is not null)
    and (state = 'completed') = (completed_at is not null))
);
comment on table check_run is 'A check of a commit, and what came of it.';
comment on column check_run.command is
  'For the shell. Null for a check of another host, and for a build file that cannot be read.';
comment on column check_run.host_check_id is
  'What the code host calls it; null for the local host.';
create unique index check_run_of_host on check_run (suite_id, host_check_id);
grant select, insert, update, delete on check_run to guildhall_app;

create table check_log (
  check_id   uuid primary key references check_run on delete cascade,
  content    text not null check (octet_length(content) <= 300000),
  updated_at timestamptz not null default now()
);
comment on table check_log is 'The end of what a check has written.';
grant select, insert, update, delete on check_log to guildhall_app;

create table check_fix (
  suite_id       uuid primary key references check_suite on delete cascade,
  task_id        uuid not null,
  message_number integer not null,
  created_at     timestamptz not null default clock_timestamp(),
  unique (task_id, message_number),
  foreign key (task_id, message_number) references task_message on delete cascade
);
comment on table check_fix is
  'The message that asks the agent to fix the failed checks of a commit: one for each.';
grant select, insert on check_fix to guildhall_app;

create table deploy (
  id                 uuid primary key default uuid_v7(),
  project_id         uuid not null references project on delete cascade,
  repository_id      uuid not null references repository on delete cascade,
  merge_id           uuid references merge on delete set null unique,
  branch             text not null check (is_branch_name(branch)),
  stage              text not null check (stage in ('staging', 'production')),
  commit_sha         text not null check (commit_sha ~ '^[0-9a-f]{40}$'),
  height             integer check (height > 0),
  state              text not null default 'queued'
    check ( state in ('queued', 'running', 'success', 'warning', 'failed', 'superseded')),
  reason             text check (length(reason) between 1 and 1000),
  url                text check (length(url) between 1 and 2000),
  host_deployment_id bigint,
  host_context       text check (length(host_context) between 1 and 300),
  held_by            uuid,
  held_until         timestamptz,
  attempts           integer not null default 0 check (attempts >= 0),
  created_at         timestamptz not null default now(),
  started_at         timestamptz,
  ended_at           timestamptz,
  pod_id             uuid,
  constraint deploy_of_host unique (repository_id, host_deployment_id),
  constraint deploy_of_status unique (repository_id, host_context, commit_sha),
  constraint deploy_holder check (
    (held_by is null) = (held_until is null)
    and (held_by is not null) = (state = 'running' and height is not null)),
  -- Ours, a deployment of a code host, or a commit status of one.
  constraint deploy_origin check (num_nonnulls(height, host_deployment_id, host_context) = 1),
  constraint deploy_outcome check ((state in ('queued', 'running')) = (ended_at is null))
);
comment on table deploy is
  'That a commit of a branch is deployed, and what came of it. A worker carries out those of local repositories.';
comment on column deploy.merge_id is
  'The merge that made the commit; null once its task is deleted.';
comment on column deploy.height is
  'Commits of the branch up to this one, along first parents: of two deploys, the newer one has more. Null for what a code host deploys.';
comment on column deploy.host_context is 'The name of the commit status that it was read from.';
comment on column deploy.held_by is
  'Names the hold of the worker that carries it out, anew for each.';
comment on column deploy.attempts is 'How many workers have begun it.';
comment on column deploy.pod_id is
  'Where its command was begun last. Whoever takes it over ends that first.';
create index deploy_of_project on deploy (project_id, created_at, id);
create index deploy_of_branch on deploy (repository_id, branch, height);
create index deploy_due on deploy (created_at)
  where state in ('queued', 'running') and height is not null;
-- Of a branch of a local repository, one at a time.
create unique index deploy_at_work on deploy (repository_id, branch)
  where state = 'running' and height is not null;
create unique index deploy_pod on deploy (pod_id);
grant select, insert, update on deploy to guildhall_app;

create table deploy_log (
  deploy_id  uuid primary key references deploy on delete cascade,
  content    text not null check (octet_length(content) <= 270000),
  updated_at timestamptz not null default now()
);
comment on table deploy_log is 'The last that the command of a deploy has printed.';
grant select, insert, update on deploy_log to guildhall_app;

-- ERP connections and instances -------------------------------------------------------------------

create table odoo_connection (
  id                          uuid primary key default gen_random_uuid(),
  project_id                  uuid not null references project on delete cascade,
  name                        text not null check (length(name) between 1 and 100),
  url                         text not null check (length(url) between 1 and 2000),
  database                    text check (length(database) between 1 and 100),
  login                       text check (length(login) between 1 and 254),
  kind                        text not null check (kind in ('api_key', 'password')),
  environment                 text not null
    check (environment in ('production', 'staging', 'development')),
  agent_access                text not null default 'read'
    check (agent_access in ('none', 'read', 'write')),
  production_write_allowed_at timestamptz,
  secret                      bytea,
  secret_key_id               text check (length(secret_key_id) = 16),
  secret_set_at               timestamptz,
  secret_expires_at           timestamptz,
  erp_version                 text check (length(erp_version) between 1 and 50),
  edition                     text not null default 'unknown'
    check (edition in ('community', 'enterprise', 'unknown')),
  last_probe                  jsonb not null,
  created_at                  timestamptz not null default now(),
  updated_at                  timestamptz not null default now(),
  warned_of_expiry            timestamptz,
  noted_as_expired            timestamptz,
  agent_exceptions            text[] not null default '{}',
  constraint odoo_connection_of_project unique (project_id, id),
  constraint odoo_connection_exceptions_are_names check (cardinality(agent_exceptions) <= 50
    and array_position(agent_exceptions, null) is null
    and array_to_string(agent_exceptions, ' ')
    ~ '^([a-z0-9_.]{1,128}(/[a-z0-9_]{1,64})?( |$))*$'),
  constraint odoo_connection_name_is_name check (is_name(name)),
  constraint odoo_connection_production_write
    check ((environment = 'production' and agent_access = 'write')
    = (production_write_allowed_at is not null)),
  constraint odoo_connection_secret_is_whole
    check (num_nulls(secret, secret_key_id, secret_set_at) in (0, 3)),
  -- An address and nothing else: no credential, query or fragment.
  constraint odoo_connection_url_is_address
    check (url ~ '^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*)?$')
);
comment on table odoo_connection is
  'An Odoo that tasks of a project may use, with its sealed credential. It belongs to the project and stays when that is given to another owner.';
comment on column odoo_connection.production_write_allowed_at is
  'When an admin of the project let agents write to this production database. Set by that act alone.';
comment on column odoo_connection.secret is
  'AES-256-GCM: nonce, ciphertext and tag, bound to this row, its project and the origin of its address.';
comment on column odoo_connection.secret_key_id is 'Which key of the servers opens the secret.';
comment on column odoo_connection.secret_expires_at is
  'As the server said when it was last asked, or as people wrote it.';
comment on column odoo_connection.last_probe is
  'What the server answered when it was last asked, and when.';
comment on column odoo_connection.warned_of_expiry is
  'The expiry that people were warned of; another one is another warning.';
comment on column odoo_connection.noted_as_expired is 'The expiry that people were told had come.';
comment on column odoo_connection.agent_exceptions is
  'Names of models, and of fields as model/field, for which an admin of the project has lifted the list of what agents neither see nor change.';
create unique index odoo_connection_name_taken
  on odoo_connection (project_id, name_key(name) collate "C");
create index odoo_connection_expires on odoo_connection (secret_expires_at)
  where secret_expires_at is not null;
grant select, insert, update, delete on odoo_connection to guildhall_app;

create table task_odoo_connection (
  task_id              uuid,
  project_id           uuid not null,
  connection_id        uuid,
  activated_by_user_id uuid not null references app_user,
  activated_at         timestamptz not null default now(),
  primary key (task_id, connection_id),
  constraint task_odoo_connection_of_connection
    foreign key (project_id, connection_id)
    references odoo_connection (project_id, id) on delete cascade,
  constraint task_odoo_connection_of_task
    foreign key (task_id, project_id) references task (id, project_id) on delete cascade
);
comment on table task_odoo_connection is
  'That the agent of a task may use a connection of its project, through the gateway of the worker.';
create index task_odoo_connection_by_connection on task_odoo_connection (connection_id);
create index task_odoo_connection_by_user on task_odoo_connection (activated_by_user_id);
grant select, insert, update, delete on task_odoo_connection to guildhall_app;

create table odoo_expiry_warning (
  id            uuid primary key default uuid_v7(),
  connection_id uuid not null references odoo_connection on delete cascade,
  user_id       uuid not null references app_user on delete cascade,
  level         text not null check (level in ('expires', 'expired')),
  expires_at    timestamptz not null,
  created_at    timestamptz not null default now(),
  constraint odoo_expiry_warning_once unique (connection_id, expires_at, level, user_id)
);
comment on table odoo_expiry_warning is
  'Mail to one person that the secret of a connection expires, once for each expiry and level: the subject of the mail.';
create index odoo_expiry_warning_of_user on odoo_expiry_warning (user_id);
grant select, insert, delete on odoo_expiry_warning to guildhall_app;

create table erp_instance (
  id                   uuid primary key default uuid_v7(),
  task_id              uuid not null references task on delete cascade,
  driver               text not null check (length(driver) between 1 and 50),
  state                text not null default 'starting'
    check (state in ('starting', 'running', 'stopping', 'failed', 'ended')),
  reason               text check (length(reason) between 1 and 500),
  erp_version          text not null check (length(erp_version) between 1 and 20),
  edition              text not null check (edition in ('community', 'enterprise')),
  database_name        text not null check (database_name ~ '^[a-z][a-z0-9_]{0,62}$'),
  url                  text check (length(url) between 1 and 500),
  requested_by_user_id uuid not null references app_user,
  owner                text check (length(owner) between 1 and 200),
  lease_until          timestamptz,
  not_before           timestamptz not null default now(),
  attempt              integer not null default 0 check (attempt >= 0),
  created_at           timestamptz not null default now(),
  ready_at             timestamptz,
  expires_at           timestamptz not null,
  cleared_at           timestamptz,
  counted_until        timestamptz,
  uncounted_ms         bigint not null default 0 check (uncounted_ms >= 0),
  reason_code          text
    check (reason_code in ('insufficient_funds', 'account_not_active', 'spend_limit')),
  renewed_at           timestamptz,
  constraint erp_instance_ended_without_owner check (
    state not in ('failed', 'ended') or owner is null),
  constraint erp_instance_failed_for_a_reason check ((state = 'failed') = (reason is not null)),
  constraint erp_instance_is_cleared_at_its_end check (
    case state when 'ended' then cleared_at is not null
    when 'failed' then true
    else cleared_at is null end),
  constraint erp_instance_is_leased_completely check ((owner is null) = (lease_until is null)),
  constraint erp_instance_runs_once_ready check (state <> 'running' or ready_at is not null)
);
comment on table erp_instance is
  'A throwaway ERP system of a task, which a worker starts and keeps. At most one of a task is live.';
comment on column erp_instance.state is
  'starting and stopping are also what a person asks for, until a worker has done it. ended: nothing is left, and the row only tells of it.';
comment on column erp_instance.url is 'Where people reach it; null if they cannot.';
comment on column erp_instance.owner is
  'The worker that keeps it, until lease_until; then any other.';
comment on column erp_instance.not_before is 'When a worker may try again what has failed.';
comment on column erp_instance.attempt is 'How often a worker has taken it since it last ran.';
comment on column erp_instance.expires_at is 'When it ends, unless it is used before.';
comment on column erp_instance.cleared_at is
  'When nothing was left of one that has failed or ended.';
comment on column erp_instance.counted_until is
  'While it runs: the time of it until then is in usage, or in uncounted_ms.';
comment on column erp_instance.uncounted_ms is
  'Milliseconds in which it ran and that are not in usage yet.';
comment on column erp_instance.reason_code is
  'Which rule about money has ended it. It stays when what has failed is removed.';
comment on column erp_instance.renewed_at is
  'While it runs and its programs end with its worker: when that worker was last known to live. Its time is counted no further.';
create unique index erp_instance_of_task on erp_instance (task_id)
  where state in ('starting', 'running', 'stopping');
create index erp_instance_all_of_task on erp_instance (task_id, created_at);
create index erp_instance_live on erp_instance (lease_until, not_before)
  where state in ('starting', 'running', 'stopping');
create index erp_instance_uncleared on erp_instance (not_before)
  where state = 'failed' and cleared_at is null;
create index erp_instance_requested_by on erp_instance (requested_by_user_id);
create index erp_instance_uncounted on erp_instance (counted_until, id)
  where counted_until is not null or uncounted_ms >= 1000;
create trigger erp_instance_transition before update of state on erp_instance
  for each row execute function check_erp_instance_transition();
create trigger erp_instance_time before insert or update of state, lease_until on erp_instance
  for each row execute function count_erp_instance_time();
grant select, insert, update on erp_instance to guildhall_app;

-- The record, and work in the background ----------------------------------------------------------

create table audit_event (
  id              uuid primary key default uuid_v7(),
  occurred_at     timestamptz not null default clock_timestamp(),
  actor_user_id   uuid,
  key_id          uuid,
  action          text not null,
  outcome         text not null check (outcome in ('done', 'refused')),
  code            text,
  target_id       text not null,
  organization_id uuid,
  before          jsonb,
  after           jsonb,
  request_id      text not null,
  session_id      uuid,
  project_id      uuid,
  transaction_id  xid8 default pg_current_xact_id(),
  constraint audit_event_refused_has_code check ((outcome = 'refused') = (code is not null))
);
comment on table audit_event is
  'Who did what to what, before and after. Insert-only, and without foreign keys: a row outlives what it is about.';
comment on column audit_event.actor_user_id is
  'Null for changes by the system or the command line.';
comment on column audit_event.code is 'Why the attempt was refused.';
comment on column audit_event.target_id is 'What was changed; the action says of which kind it is.';
comment on column audit_event.project_id is 'The project that the change is about or in, if any.';
comment on column audit_event.transaction_id is
  'Null for rows from before it was recorded. A reader that stops at pg_snapshot_xmin(pg_current_snapshot()) misses no row that commits late.';
create index audit_event_of_project on audit_event (project_id, id) where project_id is not null;
create index audit_event_of_workspace on audit_event (organization_id, occurred_at desc, id desc);
-- The filters of a workspace's audit trail, each in the order of the list.
create index audit_event_of_actor
  on audit_event (organization_id, actor_user_id, occurred_at desc, id desc);
create index audit_event_of_action
  on audit_event (organization_id, action, occurred_at desc, id desc);
create index audit_event_of_target
  on audit_event (organization_id, target_id, occurred_at desc, id desc);
create trigger audit_event_insert_only before update or delete on audit_event
  for each row execute function refuse_change();
create trigger audit_event_no_truncate before truncate on audit_event
  for each statement execute function refuse_change();
-- What is done with an API key or by the command line is not about a browser's session.
create trigger audit_event_warns
  after insert on audit_event
  for each row
  when (new.outcome = 'done' and (
    new.action = 'user.reset_two_factor'
    or new.session_id is not null and new.action in (
      'password.set', 'totp.enable', 'totp.disable', 'recovery_codes.renew', 'passkey.create',
      'passkey.delete', 'key.create', 'identity.create', 'identity.delete')))
  execute function queue_security_notice();
grant select, insert on audit_event to guildhall_app;

create table outbox (
  id         uuid primary key default uuid_v7(),
  topic      text not null check (length(topic) between 1 and 100),
  key        text not null check (length(key) between 1 and 200),
  payload    jsonb not null,
  created_at timestamptz not null default now(),
  done_at    timestamptz,
  unique (topic, key)
);
comment on table outbox is 'What must happen after a commit, written in the same transaction.';
comment on column outbox.key is 'Makes it happen once per topic.';
create index outbox_open on outbox (created_at) where done_at is null;
-- A task is shown as queued while a start of it waits. There are few: workers take them at once.
create index outbox_start_of_task on outbox (((payload->>'task_id')::uuid))
  where topic = 'agent_start' and done_at is null;
create trigger outbox_keeps_its_message
  before update of id, topic, key, payload, created_at on outbox
  for each row execute function keep_columns('id', 'topic', 'key', 'payload', 'created_at');
grant select, insert, update, delete on outbox to guildhall_app;

create table mail (
  id              uuid primary key default uuid_v7(),
  kind            text not null
    check (kind in ('workspace_invitation', 'project_invitation', 'sign_in_link', 'security_notice',
      'spend_limit', 'receipt', 'billing_notice', 'odoo_expiry')),
  recipient       text not null
    check (recipient = btrim(recipient) and position('@' in recipient) > 1 and length(recipient) <= 320),
  subject_id      uuid not null,
  generation      integer not null default 1,
  status          text not null default 'queued'
    check (status in ('queued', 'sent', 'dead', 'obsolete')),
  attempts        integer not null default 0 check (attempts >= 0),
  next_attempt_at timestamptz default now(),
  last_error      text,
  created_at      timestamptz not null default now(),
  ended_at        timestamptz,
  constraint mail_once unique (kind, subject_id, generation),
  constraint mail_queued_has_no_end check ((status = 'queued') = (ended_at is null)),
  constraint mail_queued_is_due check ((status = 'queued') = (next_attempt_at is not null))
);
comment on table mail is
  'Mail to send after the commit that caused it. The text is made when it is sent, from what subject_id refers to, so no link is stored.';
comment on column mail.subject_id is
  'What the mail is about: the invitation, the link, the audit row of the change, the warning, the invoice or note, or the notice.';
comment on column mail.generation is 'That of the invitation: mail of an earlier one is obsolete.';
comment on column mail.status is
  '`dead`: given up after the last attempt; an operator may send it again.';
create index mail_due on mail (next_attempt_at) where status = 'queued';
create index mail_newest on mail (created_at desc, id desc);
-- Dead mail waits for an operator; what ended otherwise is deleted after a while.
create index mail_dead on mail (created_at desc, id desc) where status = 'dead';
create index mail_ended on mail (ended_at) where status in ('sent', 'obsolete');
grant select, insert, update, delete on mail to guildhall_app;

create table idempotency_key (
  user_id      uuid references app_user,
  key          text check (length(key) between 1 and 255),
  request_hash bytea not null check (octet_length(request_hash) = 32),
  claim        uuid not null,
  claimed_at   timestamptz not null default now(),
  status       integer check (status between 200 and 499),
  headers      jsonb,
  body         text,
  brief_body   text,
  primary key (user_id, key),
  constraint idempotency_key_answer_is_complete check (num_nulls(status, headers, body) in (0, 3))
);
comment on table idempotency_key is
  'The first answer to a request with an Idempotency-Key (ruling 1.11). Status, headers and body are null while it runs.';
comment on column idempotency_key.request_hash is
  'SHA-256 of what was asked: another request with the same key is refused.';
comment on column idempotency_key.claim is
  'The process that answers; a claim that is too old may be taken over.';
comment on column idempotency_key.brief_body is
  'The whole answer, for ten minutes, where body lacks a secret that opens something for a while.';
create index idempotency_key_age on idempotency_key (claimed_at);
create index idempotency_key_brief on idempotency_key (claimed_at) where brief_body is not null;
grant select, insert, update, delete on idempotency_key to guildhall_app;

create table hourly_work (
  name    text primary key check (length(name) between 1 and 100),
  next_at timestamptz not null
);
comment on table hourly_work is 'When work that one of many processes does every hour is due.';
grant select, insert, update on hourly_work to guildhall_app;

-- Rows that every installation has ----------------------------------------------------------------

insert into role (id, scope, slug, name, color, acts_as) values
  ('00000000-0000-4000-8000-000000000001', 'workspace', 'owner',  'Owner',  '#7C3AED', 'owner'),
  ('00000000-0000-4000-8000-000000000002', 'workspace', 'admin',  'Admin',  '#2563EB', 'admin'),
  ('00000000-0000-4000-8000-000000000003', 'workspace', 'member', 'Member', '#059669', 'member'),
  ('00000000-0000-4000-8000-000000000004', 'workspace', 'viewer', 'Viewer', '#6B7280', 'viewer'),
  ('00000000-0000-4000-8000-000000000012', 'project',   'admin',  'Project admin',  '#1D4ED8', 'admin'),
  ('00000000-0000-4000-8000-000000000013', 'project',   'member', 'Project member', '#047857', 'member'),
  ('00000000-0000-4000-8000-000000000014', 'project',   'viewer', 'Project viewer', '#4B5563', 'viewer');

insert into billing_account (id, kind, system_name) values
  ('00000000-0000-4000-9000-000000000001', 'system', 'processor_clearing'),
  ('00000000-0000-4000-9000-000000000002', 'system', 'transfer_clearing'),
  ('00000000-0000-4000-9000-000000000003', 'system', 'revenue'),
  ('00000000-0000-4000-9000-000000000004', 'system', 'disputes'),
  ('00000000-0000-4000-9000-000000000005', 'system', 'promotions'),
  ('00000000-0000-4000-9000-000000000006', 'system', 'write_offs'),
  ('00000000-0000-4000-9000-000000000007', 'system', 'test_money');

insert into invoice_issuer (id, name, prefix, tax_name, reverse_charge_note)
values ('00000000-0000-7000-8000-000000000000', 'Guildhall', 'INV-', 'VAT',
        'Reverse charge: the recipient is liable for the tax.');
