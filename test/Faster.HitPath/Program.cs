using Faster;
using Faster.HitPath;

// How often each operation runs: so often that the thread keeps its sessions, or as often as it takes the runtime to
// optimize it by what it has seen.
int rounds = args.Length == 0 ? 100 : int.Parse(args[0], System.Globalization.CultureInfo.InvariantCulture);
await using Sums.Store store = await Sums.OpenAsync(null, new StoreOptions());
using Sums.Session session = store.StartSession();
await using Plain.Store plain = await Plain.OpenAsync(null, new StoreOptions());
using Plain.Session bytes = plain.StartSession();
await using Pairs.Store pairs = await Pairs.OpenAsync(null, new StoreOptions());
using Pairs.Session pair = pairs.StartSession();
await using Tickets.Store tickets = await Tickets.OpenAsync(null, new StoreOptions());
using Tickets.Session ticket = tickets.StartSession();
await using RingSums.Store rings = await RingSums.OpenAsync(new HotRingOptions());
using RingSums.Session ring = rings.StartSession();
await using Sums.Store leases = await Sums.OpenAsync(null, new StoreOptions { TimeToLive = TimeSpan.FromHours(1) });
using Sums.Session lease = leases.StartSession();
byte[] name = "a key of some length"u8.ToArray();
Guid id = Guid.NewGuid();
long sum = 0;
for (int round = 0; round < rounds; round++)
{
    long key = 1 + (round % 8);
    bool done = Roots.Upsert(session, key, key) == Status.Ok
        && Roots.Rmw(session, key, key) == Status.Ok
        && Roots.Read(session, key, out long value) == Status.Ok
        && value == 2 * key
        && Roots.RmwOutput(ticket, 1, out long drawn) == (round == 0 ? Status.Created : Status.Ok)
        && drawn == round
        && Roots.UpsertBytes(bytes, name, key) == Status.Ok
        && Roots.ReadBytes(bytes, name, out long word) == Status.Ok
        && word == key
        && Roots.UpsertPair(pair, id, new Pair(key, -key)) == Status.Ok
        && Roots.ReadPair(pair, id, out Pair found) == Status.Ok
        && found == new Pair(key, -key)
        && Roots.RingUpsert(ring, key, key) == Status.Ok
        && Roots.RingRmw(ring, key, key) == Status.Ok
        && Roots.RingRead(ring, key, out long ringed) == Status.Ok
        && ringed == 2 * key;
    if (!done)
        return 1;
    if (args.Length == 0) // else the runtime would optimize hits for both kinds of records
    {
        done = Roots.Upsert(lease, key, key) == Status.Ok
            && Roots.Rmw(lease, key, key) == Status.Ok
            && Roots.Read(lease, key, out long leased) == Status.Ok
            && leased == 2 * key;
        if (!done)
            return 1;
    }

    sum += Controls.ExerciseAll(key);
}

return sum > 0 ? 0 : 1;
