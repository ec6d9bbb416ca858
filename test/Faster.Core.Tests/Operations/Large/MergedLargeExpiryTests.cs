using System.Buffers;
using Faster.Contracts;
using Faster.Engines;
using Faster.Operations;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Merging;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Operations.Large;

/// <summary>
/// Deltas in front of a whole value that expires are merged into a value larger than a page; the whole one dies at any
/// moment of that, and another session sees it dead. It does not come back, and no delta is lost.
/// </summary>
public sealed class MergedLargeExpiryTests : IDisposable
{
    private const int Moments = 60; // more merges than there are

    private static readonly byte[] Old = "OLD"u8.ToArray();

    private readonly TemporaryFolder _folder = new();

    // The bytes of the old value, and of each delta: the deltas alone fit a page, or not, or only they do not.
    [Theory]
    [InlineData(4000, 100)]
    [InlineData(3, 900)]
    public Task An_update_merges(int old, int part) => Guard.RunAsync(() =>
    {
        int moment = 1;
        for (; moment < Moments; moment++)
        {
            var time = new ManualTime();
            using FasterStore store = Open(null, BytesOperations.Schema, time);
            Fill(store, old);
            var death = new Death(store, time, moment) { IsArmed = true };
            for (int i = 0; i < 30; i++) death.Append(part);
            if (!death.HasCome) break;
            death.AssertStays(30 * part);
        }

        Assert.InRange(moment, 3, Moments - 1);
        return Task.CompletedTask;
    });

    [Theory]
    [InlineData(4000, 100, false)]
    [InlineData(3, 900, false)]
    [InlineData(3, 900, true)]
    public Task Compaction_merges(int old, int part, bool shrinks) => Guard.RunAsync(async () =>
    {
        Death? death = null;
        using (FasterStore before = Open(_folder.Path, BytesOperations.Schema, new ManualTime()))
        {
            Fill(before, old);
            await before.CommitAsync();
        }

        RecordSchema merging = BytesOperations.Schema with
        {
            Merger = (_, older, newer, merged) => death!.Merge(older, newer, merged, shrinks),
        };
        int moment = 1;
        for (; moment < Moments; moment++)
        {
            var time = new ManualTime();
            using FasterStore store = Open(_folder.Path, merging, time);
            death = new Death(store, time, moment);
            for (int i = 0; i < 7; i++) death.Append(part);
            death.IsArmed = true;
            await store.CompactAsync(3 * Page); // where the old value lies
            if (!death.HasCome) break;
            death.AssertStays(7 * part);
        }

        Assert.InRange(moment, 2, Moments - 1);
    });

    public void Dispose() => _folder.Dispose();

    // The old value, and so much behind it that it is on disk.
    private static void Fill(FasterStore store, int old)
    {
        using FasterSession session = store.StartSession();
        session.TimeToLive = TimeSpan.FromSeconds(10);
        session.PutBytes(1, [.. Old, .. new byte[old - Old.Length]]);
        session.TimeToLive = TimeSpan.Zero;
        for (int key = 100; key < 500; key++) session.PutBytes(key, new byte[1500]);
    }

    private static FasterStore Open(string? folder, RecordSchema schema, TimeProvider time) =>
        FasterStore.OpenAsync(
            folder,
            new StoreOptions
            {
                MemoryBudget = StoreOptions.MinMemoryBudget, PageSize = new ByteSize(Page), ReadCacheFraction = 0,
                ExpectedKeys = 1_000, TimeProvider = time,
            },
            schema, default).AsTask().GetAwaiter().GetResult();

    /// <summary>The moment at which the old value dies: before the n-th merge with it ends.</summary>
    private sealed class Death(FasterStore store, ManualTime time, int moment)
    {
        private int _merges;

        public bool IsArmed { get; set; }

        public bool HasCome { get; private set; }

        public void Append(int part)
        {
            using FasterSession session = store.StartSession();
            byte[] bytes = new byte[part];
            bytes.AsSpan().Fill((byte)'p');
            store.ScanLog().Dispose(); // so that the next delta is a record of its own
            var append = new MergedAppend(this, bytes);
            if (session.Rmw(new BytesKey(BitConverter.GetBytes(1)), ref append) == Status.Pending)
                session.CompletePending(wait: true);
        }

        public void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged, bool isShort = false)
        {
            bool isWhole = older.StartsWith(Old);
            if (isWhole && isShort)
            {
                merged.Write(Old); // with the old value it is shorter than without
            }
            else
            {
                merged.Write(older);
                merged.Write(newer);
            }

            if (!isWhole || !IsArmed || ++_merges != moment) return;
            HasCome = true;
            time.Advance(60_000);
            byte[]? seen = null;
            var reader = new Thread(() => seen = Read());
            reader.Start();
            Assert.True(reader.Join(TimeSpan.FromSeconds(30)), "A reader waits for the merge.");
            Assert.False(seen.AsSpan().StartsWith(Old));
        }

        public void AssertStays(int length)
        {
            for (int hour = 0; hour < 2; hour++)
            {
                byte[]? found = Read();
                Assert.NotNull(found);
                Assert.False(found.AsSpan().StartsWith(Old), $"After merge {moment} what was dead is back.");
                Assert.Equal(length, found.Length);
                time.Advance(3_600_000);
            }
        }

        private byte[]? Read()
        {
            using FasterSession session = store.StartSession();
            return session.ReadMerged(1);
        }
    }

    private readonly struct MergedAppend(Death death, byte[] part) : IRmwOperation
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public static bool Merges => true;

        public bool IsAwaited => false;

        public void Capture() { }

        public void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged) =>
            death.Merge(older, newer, merged);

        public void InitialUpdate(ValueBuffer value) => value.Write(part);

        public bool InPlaceUpdate(ref ValueSlot value) => false;

        public void CopyUpdate(ReadOnlySpan<byte> oldValue, ValueBuffer newValue)
        {
            newValue.Write(oldValue);
            newValue.Write(part);
        }

        public void Complete(Status status, Exception? error) => Assert.Null(error);
    }
}
