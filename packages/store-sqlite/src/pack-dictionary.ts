/**
 * Texts that rows are likely to contain, the most likely at the end. Deflate refers to these texts instead of writing
 * them out. Rows that were packed with this dictionary can be read only with it, so it never changes. Another dictionary
 * would need a new schema version.
 */
export const packDictionary: Buffer = Buffer.from(
  [
    '"nickname":"","short_summary":"","view":[],"content_fields":[],"details":{},"blocks":[{"type":"image","mimeType":"',
    '{"type":"file","locked":false,"content":0,"char_count":,"path":"","name":"","size":,"mtime":,"file_type":"text","language":"',
    '"provenance":{"origin":"","generator":"human"}}"provenance":{"origin":"","generator":"agent"}}',
    '{"type":"chat","locked":true,"content":0,"turns":0,"session_ref":{"ref":"dynamic","id":"0"},"turn_count":1,',
    '"step_count":1,"toolcall_refs":0,"provenance":{"origin":"","generator":"system"}}',
    '{"type":"view","locked":true,"content":0,"session_ref":{"ref":"dynamic","id":"0"},"chat_ref":{"ref":"dynamic","id":"',
    '{"type":"toolcall","locked":false,"content":0,"char_count":1,"tool":"read","args":0,"args_display":"bash: \\"","call_kind":"',
    'command","call_kind":"read","call_kind":"edit","call_kind":"other","status":"fail","is_error":true,"status":"ok",',
    '"is_error":false,"chat_ref":{"ref":"static","id":"01","tx_id":1,"tx_time":"2026-01-01T00:00:00.000Z","content_hash":"","metadata_view_hash":"","object_hash":"',
    '","position":{"turn":1,"step":0,"call":0}},"timestamp":17,"provenance":{"origin":"toolcall","generator":"tool"}}',
    '[0,{"content":null,"content":"~#1","args":{"path":"","file_path":"","old_string":"","new_string":"","content":"","command":"',
    '[3,["content",[1,100,0,"--- user\\n--- toolcall [ref:toolcall/ tool=bash args=\\"\\" status=fail\\" status=ok\\n--- assistant\\n"],',
    '"turns",[2,1,0,[1,{"user":[{"type":"text","text":""}],"timestamp":17,"key":"","steps":[]}],[2,0,[3,["steps",[2,1,0,[1,{"assistant":[',
    '{"type":"thinking","thinking":"","thinkingSignature":""},{"type":"text","text":""},{"type":"toolCall","id":"toolu_01","name":"bash",',
    '"arguments":{"command":"","path":"","limit":"}}],"toolcall_ids":["toolu_01"],"assistant_meta":{"api":"anthropic-messages",',
    '"provider":"anthropic","model":"claude-","stopReason":"toolUse","stopReason":"stop","usage":{"input":1,"output":1,"cacheRead":0,',
    '"cacheWrite":0,"totalTokens":1,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"timestamp":17},"view":1}]]]]]],',
    '"toolcall_refs",[2,1,0,[1,{"ref":"static","id":"toolu_01","tx_id":1,"tx_time":"2026-01-01T00:00:00.000Z","content_hash":"',
    '","metadata_view_hash":"","object_hash":"',
    '[3,["pool",[2,1,0,[1,{"id":"toolu_01","handle":"t1","key":"f1"}]],"active_set",[2,2,0,[0,1,1],[1,"toolu_01"]],',
    '"inactive_set",[2,1,1,[1,"toolu_01"]],"pinned_set",[],"activations",[3,["toolu_01",[0,{"turn":1,"call":1}]],["toolu_01"]],',
    '"recent",[2,0,0,[0,1,95],[1,"t1"]],"handle_counts",[3,["f",[4,1],"t",[4,1]]],"calibration",[3,["factor",[0,1.0],"overhead",[4,1]]],',
    '"usage_points",[2,0,0,[0,1,15],[1,{"estimated":1,"reported":1}]],"cost_account",[2,0,0,[3,1,1,1,1,1,0,0]],"last_tx_id",[4,3]]]',
    '[3,["entries",[2,1,0,[1,"u1 ","r1.0.0 t1@1 ref 12"],[0,1,1],[1,"r1.1.0 t1@1 ref 16"],[0,3,1],[1,"a1.0 ","r1.0.1 t1@1 bare 40",',
    '"a1.1 ","r1.1.0 t1@1 [f1@1:lines=1-9] 1","r1.1.0 t1@1 whole 1"]],"memory",[3,["epoch",[4,1],"calls",[4,1],"calls",[4,-1',
    '"left",[2,0,0,[1,"t1","t1/args"]],"plain_tokens",[4,1],"died",[2,1,0,[1,"1@1"]],"call",[3,["hash",[0,"',
    '"],"figures",[2,1,0,[3,1,1',
    "]]]]]]]",
  ].join(""),
);
