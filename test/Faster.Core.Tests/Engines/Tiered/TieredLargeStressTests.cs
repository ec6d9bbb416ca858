using System.Buffers;
using System.Runtime.InteropServices;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.Log;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Large;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// Threads, commits, compactions of both logs and scans at once, over values of any length; the store is then closed
/// without a commit and opened again. Each session's keys are compared with a model of its prefix.
/// </summary>
/// <remarks>
/// A value is a sequence of pieces, each of which names its key, its step and its length: a reader of any thread sees
/// what is torn, and what was replaced before.
/// </remarks>
public sealed class TieredLargeStressTests : IDisposable
{
    private const int Writers = 2, KeysOfEach = 12, Rounds = 3, Steps = 250, Piece = 12;

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task All_at_once_and_again_after_recoveries()
    {
        foreach (int seed in TestSeed.Of(2))
        {
            string path = Path.Combine(_folder.Path, $"{seed}");
            try
            {
                await RunAsync(path, seed);
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"FASTER_TEST_SEED={seed}: {e.Message}", e);
            }

            Directory.Delete(path, recursive: true);
        }
    }

    private static async Task RunAsync(string path, int seed)
    {
        var random = new Random(seed);
        var options = new TieredOptions
        {
            MemoryBudget = ByteSize.MiB(random.Next(2, 4)), ColdFraction = 0.5, PageSize = new ByteSize(4096),
            HotLogSize = ByteSize.KiB(256), ExpectedColdKeys = 1_000, ExpectedHotKeys = 1_000, CommitOnDispose = false,
            ReadCacheFraction = random.Next(2) * 0.5, CommitKind = (CommitKind)random.Next(3),
            CompactionThreads = random.Next(1, 4), SegmentSize = ByteSize.KiB(64),
            DiskBudget = random.Next(2) == 0 ? default : ByteSize.MiB(16),
        };
        Writer[] writers = [];
        int[] keys = [];
        List<Task> atEnd = []; // the store is closed beside them
        for (int round = 0; round <= Rounds; round++)
        {
            await using TieredStore store =
                await TieredStore.OpenAsync(path, options, BytesOperations.Schema, CancellationToken.None);
            foreach (Task task in atEnd)
                if (await Record.ExceptionAsync(() => task) is { } e) Assert.IsType<ObjectDisposedException>(e);
            if (round == 0)
            {
                keys = random.Next(2) == 0 ? Colliding(store.Hot.Seed) : [.. Enumerable.Range(0, Writers * KeysOfEach)];
                writers = [.. Enumerable.Range(0, Writers).Select(number => new Writer(number, keys))];
            }

            foreach (Writer writer in writers) writer.Recover(store);
            await CheckScanAsync(store, writers);
            if (round == Rounds) break;
            int roundSeed = random.Next();
            int[] newest = new int[keys.Length];
            foreach (Writer writer in writers) writer.Begin(store);
            Task working = Task.WhenAll(writers.Select(writer => Guard.RunAsync(
                () => writer.Run(store, new Random(roundSeed + writer.Number), TestBudget.Times(Steps)))));
            Task all = Task.WhenAll(
                working,
                Guard.RunAsync(() => Watch(store, keys, working, roundSeed)),
                WhileAsync(working, store, () => CompactAsync(store.CompactHotAsync, store.Hot.Log, roundSeed)),
                WhileAsync(working, store, () => CompactAsync(store.CompactColdAsync, store.Cold.Log, roundSeed)),
                WhileAsync(working, store, () => store.CommitAsync(withIndex: roundSeed % 2 == 0)),
                WhileAsync(working, store, () => LookAsync(store, keys, newest)));
            await all.WaitAsync(TestBudget.StallTimeout);
            foreach (Writer writer in writers) writer.CheckAll(store);
            await CheckScanAsync(store, writers);
            AssertQuiet(store);
            atEnd =
            [
                store.CompactHotAsync(store.Hot.Log.TailAddress), store.CompactColdAsync(store.Cold.Log.HeadAddress),
            ];
        }
    }

    // Four keys in each chain: the first bits of a hash are the tag, the next ones the place.
    private static int[] Colliding(HashSeed seed)
    {
        HashSeed copy = seed;
        return
        [
            .. Enumerable.Range(1, 2_000_000)
                .GroupBy(key => new BytesKey(BitConverter.GetBytes(key)).Hash(copy) >> 40)
                .Where(static group => group.Count() >= 4)
                .SelectMany(static group => group.Take(4))
                .Take(Writers * KeysOfEach),
        ];
    }

    private static async Task WhileAsync(Task working, TieredStore store, Func<Task> step)
    {
        while (!working.IsCompleted)
        {
            await Task.Yield();
            await step();
            Assert.Null(store.Core.Faults.Last);
        }
    }

    private static Task<CompactionResult> CompactAsync(
        Func<long, Task<CompactionResult>> compact, RecordAllocator log, int seed)
    {
        long begin = log.BeginAddress, tail = log.TailAddress;
        var random = new Random(unchecked((int)(seed + tail)));
        long most = random.Next(3) == 0 ? tail - begin : Math.Min(tail - begin, 8 * 4096);
        return compact(begin + random.NextInt64(Math.Max(most, 1)));
    }

    // A scan has each key once, and of a scan that began later no older values.
    private static async Task LookAsync(TieredStore store, int[] keys, int[] newest)
    {
        var live = new Dictionary<int, int>();
        await foreach ((int key, byte[] value) in store.Analytics.ScanAsync(null, Pair))
            live.Add(key, StepOf(key, value));
        for (int i = 0; i < keys.Length; i++)
        {
            bool isLive = live.TryGetValue(keys[i], out int step);
            Assert.True(isLive || !Stays(i), $"A scan lacks key {keys[i]}.");
            Assert.True(!isLive || step >= newest[i], $"A scan has step {step} of key {keys[i]} after {newest[i]}.");
            if (isLive) newest[i] = step;
        }
    }

    // Whether a key is never removed.
    private static bool Stays(int at) => at % 3 == 0;

    private static async Task CheckScanAsync(TieredStore store, Writer[] writers)
    {
        var live = new Dictionary<int, byte[]>();
        await foreach ((int key, byte[] value) in store.Analytics.ScanAsync(null, Pair)) live.Add(key, value);
        var model = writers.SelectMany(static writer => writer.Model).ToDictionary();
        Assert.Equal(model.Keys.Order(), live.Keys.Order());
        foreach ((int key, byte[] value) in model) Assert.True(value.AsSpan().SequenceEqual(live[key]), $"{key}");
    }

    // No key's value goes back to an older one.
    private static void Watch(TieredStore store, int[] keys, Task working, int seed)
    {
        using TieredSession session = store.StartSession();
        var random = new Random(seed);
        int[] newest = new int[keys.Length];
        while (!working.IsCompleted)
        {
            int at = random.Next(newest.Length), key = keys[at];
            byte[]? value = null;
            if (random.Next(2) == 0)
            {
                value = session.GetBytes(key);
            }
            else
            {
                ArrayBufferWriter<byte>[] written = [new(), new(), new()]; // at once, piece by piece
                Task<byte[]?>[] reads = [.. written.Select(one => session.ReadAsync(key, one).AsTask())];
                for (int i = 0; i < reads.Length; i++)
                {
                    bool exists = reads[i].GetAwaiter().GetResult() is not null;
                    if (exists) _ = StepOf(key, written[i].WrittenSpan.ToArray());
                    value = exists ? written[i].WrittenSpan.ToArray() : null;
                }
            }

            Assert.True(value is not null || !Stays(at), $"Key {key} is absent.");
            if (value is null) continue;
            int step = StepOf(key, value);
            Assert.True(step >= newest[at], $"Key {key} had step {newest[at]}, and now {step}.");
            newest[at] = step;
        }
    }

    private static (int Key, byte[] Value) Pair(RecordView record) =>
        (BitConverter.ToInt32(record.Key), record.Value.ToArray());

    private static byte[] Make(int key, int step, int length)
    {
        byte[] value = new byte[Piece + length];
        Span<int> head = MemoryMarshal.Cast<byte, int>(value.AsSpan(0, Piece));
        (head[0], head[1], head[2]) = (key, step, length);
        uint state = (uint)((step * 7919) + key + 1);
        for (int i = 0; i < length; i++)
        {
            state = (state * 1664525) + 1013904223;
            value[Piece + i] = (byte)(state >> 24);
        }

        return value;
    }

    // The step of the last piece.
    private static int StepOf(int key, byte[] value)
    {
        int last = -1;
        for (int at = 0; at < value.Length;)
        {
            Assert.True(value.Length - at >= Piece, $"Key {key}: cut at {at} of {value.Length}.");
            ReadOnlySpan<int> head = MemoryMarshal.Cast<byte, int>(value.AsSpan(at, Piece));
            Assert.True(head[0] == key && head[1] > last && head[2] >= 0 && head[2] <= value.Length - at - Piece,
                $"Key {key}: at {at} of {value.Length}: {head[0]}, {head[1]} after {last}, {head[2]}.");
            Assert.True(value.AsSpan(at, Piece + head[2]).SequenceEqual(Make(key, head[1], head[2])),
                $"Key {key} is torn at {at} of {value.Length}, step {head[1]}.");
            (last, at) = (head[1], at + Piece + head[2]);
        }

        return last;
    }

    private static void AssertQuiet(TieredStore store)
    {
        Assert.Null(store.Core.Faults.Last);
        foreach (PagedLog log in (PagedLog[])[store.Hot.PagedLog!, store.Cold.PagedLog!])
        {
            bool isQuiet = SpinWait.SpinUntil(
                () => log.Pins.LowestPinned == long.MaxValue && log.Writes.Count == 0, TestBudget.StallTimeout);
            Assert.True(isQuiet, $"{log.Pins.LowestPinned} is pinned, {log.Writes.Count} values are being written.");
        }
    }

    // A session, its keys, and what they should be.
    private sealed class Writer(int number, int[] keys)
    {
        private readonly List<(long Serial, int Key, byte[]? Value)> _done = [];
        private int _step;

        public int Number => number;

        public Dictionary<int, byte[]> Model { get; private set; } = [];

        public void Recover(TieredStore store)
        {
            using TieredSession session = store.StartSession($"writer {number}");
            long serial = session.RecoveredPoint.SerialNumber;
            _done.RemoveAll(one => one.Serial > serial);
            Model = [];
            foreach ((_, int key, byte[]? value) in _done)
            {
                if (value is null) Model.Remove(key);
                else Model[key] = value;
            }

            for (int i = 0; i < KeysOfEach; i++) Check(session, keys[(i * Writers) + number]);
        }

        public void CheckAll(TieredStore store)
        {
            using TieredSession session = store.StartSession();
            for (int i = 0; i < KeysOfEach; i++) Check(session, keys[(i * Writers) + number]);
        }

        // The keys that are never removed.
        public void Begin(TieredStore store)
        {
            using TieredSession session = store.StartSession($"writer {number}");
            for (int at = number; at < keys.Length; at += Writers)
                if (Stays(at) && !Model.ContainsKey(keys[at])) Put(session, keys[at], Make(keys[at], ++_step, 10));
        }

        public void Run(TieredStore store, Random random, int steps)
        {
            using TieredSession session = store.StartSession($"writer {number}");
            for (int i = 0; i < steps; i++)
            {
                int at = (random.Next(KeysOfEach) * Writers) + number, key = keys[at];
                byte[] value = Make(key, ++_step, (int)Math.Pow(40_000, random.NextDouble()));
                byte[] old = Model.GetValueOrDefault(key, []);
                switch (random.Next(8))
                {
                    case 0 when !Stays(at):
                        if (session.RemoveBytes(key) == Status.Pending) session.CompletePending(wait: true);
                        Model.Remove(key);
                        _done.Add((session.SerialNumber, key, null));
                        break;
                    case 1 or 2 or 3 when old.Length < 60_000:
                        session.Append(key, value);
                        _done.Add((session.SerialNumber, key, Model[key] = [.. old, .. value]));
                        break;
                    case 4:
                        Assert.Equal(Status.Ok, session.PutAsync(key, new ReadOnlySequence<byte>(value)).AsTask()
                            .GetAwaiter().GetResult());
                        _done.Add((session.SerialNumber, key, Model[key] = value));
                        break;
                    default:
                        Put(session, key, value);
                        break;
                }

                Check(session, keys[(random.Next(KeysOfEach) * Writers) + number]);
            }
        }

        private void Put(TieredSession session, int key, byte[] value)
        {
            session.PutBytes(key, value);
            _done.Add((session.SerialNumber, key, Model[key] = value));
        }

        private void Check(TieredSession session, int key)
        {
            byte[]? found = session.GetBytes(key), expected = Model.GetValueOrDefault(key);
            if (found is not null) _ = StepOf(key, found);
            bool same = found is null ? expected is null : found.AsSpan().SequenceEqual(expected);
            Assert.True(same, $"Key {key} has {Tell(key, found)}, expected {Tell(key, expected)}.");
        }

        private static string Tell(int key, byte[]? value) =>
            value is null ? "none" : $"step {StepOf(key, value)}, {value.Length} bytes";
    }
}
