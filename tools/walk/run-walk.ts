// Follows a value through the sources, and prints its stays in each file and how often it returns to a file or a room
// that it left before. A room is a folder with files. Default: the messages of a host while they are ingested.
//
//   npm run dev -- walk [file:function:parameter [method,method]]
//
// Nothing is run. Each call that passes the value to a function at the top level of a file is a step, in the order in
// which the code is written, with all branches; the end of a call is none. The walk does not see:
//
// - calls of methods, and of functions in variables, because the called code is chosen at run time. The result of a
//   method bears the value only if the method is one of a list, or is named as the second argument;
// - values that come back out of a map, a store or the state of a session, or as a new text.
//
// A list and its elements are not distinguished, so more than the value itself can be followed.
import { countByFile, countByRoom, enteredAgain } from "./count-stays.ts";
import { follow, ingestWalk } from "./walks.ts";

const [start = ingestWalk.start, methods] = process.argv.slice(2);
const steps = follow({ start, through: methods?.split(",") ?? ingestWalk.through });
const files = countByFile(steps);
for (const [index, stay] of files.stays.entries()) {
  console.log(`${index + 1}. ${stay.place}`);
  for (const { function: name, as, isRepeated } of stay.steps)
    console.log(`     ${name} as ${as.join(", ")}${isRepeated ? ", as before" : ""}`);
}
for (const [name, count] of Object.entries({ files, rooms: countByRoom(steps) })) {
  const { stays, places, returns } = count;
  console.log(`${stays.length} stays in ${places.size} ${name}, ${returns} returns to`);
  for (const place of enteredAgain(count)) console.log(`     ${place}`);
}
