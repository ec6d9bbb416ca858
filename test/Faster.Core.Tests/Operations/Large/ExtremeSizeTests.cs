using System.Buffers;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.LogSessions;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Operations.Large;

/// <summary>
/// The shortest and the longest keys with values of no byte, of just a page, and of just more, through everything that
/// a store does with records.
/// </summary>
public sealed class ExtremeSizeTests
{
    private const int LongestKey = Page - 64 - 8 - 8 - 8 - 32 - 4; // a record's space, less what stands beside the key

    private static readonly int[] KeyLengths = [0, 1, 7, 8, 9, 100, 2_000, LongestKey - 9, LongestKey - 1, LongestKey];

    [Theory]
    [InlineData(512)]
    [InlineData(4096)]
    public Task Every_size_goes_in_and_out_is_scanned_moved_and_copied(int sectorSize) => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync(device: new MemoryDevice(sectorSize: sectorSize));
        using FasterSession session = store.StartSession();
        var model = new Dictionary<string, byte[]>();
        int seed = 0;
        for (int round = 0; round < 8; round++)
        {
            foreach (int keyLength in KeyLengths)
            {
                byte[] key = Value(keyLength, keyLength), value = Value(LengthOf(round, keyLength), ++seed);
                switch ((round + keyLength) % 3)
                {
                    case 0: session.PutBytes(key, value); break;
                    case 1 when model.TryGetValue(Convert.ToHexString(key), out byte[]? old):
                        session.Append(key, value);
                        value = [.. old, .. value];
                        break;
                    default:
                        Assert.Equal(Status.Ok, await SequenceOperations.UpsertAsync(
                            session, new BytesKey(key), InPieces(value, 1_000), default));
                        break;
                }

                model[Convert.ToHexString(key)] = value;
                await AssertHasAsync(session, key, value);
            }

            if (round % 3 == 2) await store.CompactAsync(store.Log.TailAddress);
            await AssertHasAllAsync(store, session, model);
        }

        var bytes = new MemoryStream();
        Assert.Equal(KeyLengths.Length, await store.Analytics.ExportAsync(bytes));
        await using FasterStore copy = await OpenAsync(device: new MemoryDevice(sectorSize: sectorSize));
        bytes.Position = 0;
        Assert.Equal(KeyLengths.Length, await copy.Analytics.ImportAsync<AnyLength>(bytes));
        using FasterSession other = copy.StartSession();
        await AssertHasAllAsync(copy, other, model);
    });

    [Fact]
    public async Task A_key_that_is_too_long_is_refused_whatever_its_value()
    {
        await using FasterStore store = await OpenAsync();
        using FasterSession session = store.StartSession();
        byte[] key = Value(LongestKey + 1, 1);
        await Assert.ThrowsAsync<LimitExceededException>(async () => _ = await SequenceOperations.UpsertAsync(
            session, new BytesKey(key), new ReadOnlySequence<byte>(new byte[Page]), default));
        Assert.Throws<LimitExceededException>(() => session.PutBytes(key, new byte[Page]));
        Assert.Throws<LimitExceededException>(() => session.Append(key, new byte[Page]));
        session.PutBytes(1, [1]);
        Assert.Equal([1], session.GetBytes(1));
    }

    // Around what is left for a value in a record that is as large as can be.
    private static int LengthOf(int round, int keyLength)
    {
        int most = (Page - 64 - 24 - ((keyLength + 4 + 7) & ~7)) & ~7;
        return round switch { 0 => 0, 1 => 1, 2 => most - 1, 3 => most, 4 => most + 1, 5 => 0, 6 => Page, _ => 13_000 };
    }

    private static async Task AssertHasAllAsync(
        FasterStore store, FasterSession session, Dictionary<string, byte[]> model)
    {
        foreach ((string key, byte[] value) in model)
            await AssertHasAsync(session, Convert.FromHexString(key), value);
        var scanned = new Dictionary<string, byte[]>();
        await foreach ((string key, byte[] value) in store.Analytics.ScanAsync(
            null, static record => (Convert.ToHexString(record.Key), record.Value.ToArray())))
            scanned.Add(key, value);
        Assert.Equal(model, scanned);
    }

    private static async Task AssertHasAsync(FasterSession session, byte[] key, byte[] value)
    {
        Assert.Equal(value, await session.ReadAsync(key));
        var written = new ArrayBufferWriter<byte>();
        Assert.NotNull(await session.ReadAsync(key, written));
        Assert.Equal(value, written.WrittenSpan.ToArray());
    }

    private readonly struct AnyLength : IValueLayout
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;
    }
}
