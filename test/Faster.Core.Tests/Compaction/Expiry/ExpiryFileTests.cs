using Faster.Checkpoints.Files;
using Faster.Compaction.Expiry;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using Faster.Tests.Operations;

namespace Faster.Tests.Compaction.Expiry;

/// <summary>
/// What a store knows of the times at which its records expire outlives it (docs/formats/expiries.md).
/// </summary>
public sealed class ExpiryFileTests : IDisposable
{
    private const int Look = 61_000; // milliseconds, after which the compactor checks again

    private const ulong Identity = 0x1122_3344_5566_7788;

    private readonly TemporaryFolder _folder = new();
    private readonly ManualTime _time = new();

    [Fact]
    public Task After_an_opening_little_is_read_again_and_what_has_expired_leaves() => Guard.RunAsync(async () =>
    {
        long full = await FillAsync();
        await using FasterStore store = await OpenAsync();
        long opened = store.Statistics.BytesRead;
        await BeginAndLookAsync(store);
        long onDisk = store.Statistics.LogBytesOnDisk;
        Assert.InRange(store.Statistics.BytesRead - opened, 0, onDisk / 4);
        Assert.Empty(store.Statistics.FaultCounts);
        _time.Advance(3_600_000);
        while (store.Statistics.DiskBytes > full / 2)
        {
            Assert.Empty(store.Statistics.FaultCounts);
            await _time.PassAsync(Look);
        }
    });

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Without_it_or_with_a_damaged_one_the_log_is_read_again(bool isDamaged) => Guard.RunAsync(async () =>
    {
        _ = await FillAsync();
        string path = Path.Combine(_folder.Path, StoreFileNames.Expiries);
        byte[] bytes = File.ReadAllBytes(path);
        bytes[bytes.Length / 2] ^= 1;
        if (isDamaged) File.WriteAllBytes(path, bytes);
        else File.Delete(path);
        await using (FasterStore store = await OpenAsync())
        {
            long opened = store.Statistics.BytesRead;
            await BeginAndLookAsync(store);
            long onDisk = store.Statistics.LogBytesOnDisk;
            Assert.InRange(store.Statistics.BytesRead - opened, onDisk / 10 * 9, onDisk * 2);
            Assert.Equal(isDamaged ? 1 : 0, store.Statistics.FaultCounts.GetValueOrDefault("DamagedDataException"));
        }

        Assert.NotEqual(bytes, File.ReadAllBytes(path)); // written anew
    });

    [Fact]
    public void Its_bytes_are_those_of_the_format_and_say_what_was_known()
    {
        byte[] bytes = ExpiryFile.Encode(Known(), Identity);
        Assert.Equal(
            "4641535445524558010000007C000000" + "8877665544332211" + "02000000"
            + "4000000000000000" + "0010000000000000" + "E803000000000000" + "0700000000000000" + "02000000"
            + "0000" + "0500000000000000" + "4000" + "0900000000000000"
            + "0010000000000000" + "0030000000000000" + "D007000000000000" + "0000000000000000" + "00000000",
            Convert.ToHexString(bytes.AsSpan(0, bytes.Length - 4)));
        List<ExpiryHistogram> read = ExpiryFile.Decode("path", bytes, Identity);
        Assert.Equal(ExpiryFile.Encode(read, Identity), bytes);
        Assert.Equal((21L, 5L, 14L), (read[0].Bytes, read[0].DeadAt(1_000), read[0].DeadAt(2_000)));
    }

    [Fact]
    public void Every_flipped_bit_every_cut_and_another_store_are_refused()
    {
        byte[] bytes = ExpiryFile.Encode(Known(), Identity);
        for (int bit = 0; bit < bytes.Length * 8; bit++)
        {
            byte[] flipped = [.. bytes];
            flipped[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.Throws<DamagedDataException>(() => ExpiryFile.Decode("path", flipped, Identity));
        }

        for (int length = 0; length < bytes.Length; length++)
            Assert.Throws<DamagedDataException>(() => ExpiryFile.Decode("path", bytes[..length], Identity));
        Assert.Throws<DamagedDataException>(() => ExpiryFile.Decode("path", bytes, Identity + 1));
    }

    // Recovered at an older commit, the log is another one from there on.
    [Theory]
    [InlineData(0x3000, 0x40, 2)]
    [InlineData(0x2FFF, 0x40, 1)]
    [InlineData(0x0FFF, 0x40, 0)]
    [InlineData(0x3000, 0x1000, 1)] // the first part was truncated
    [InlineData(0x3000, 0x0, 0)]    // what lies before it is not known
    [InlineData(0, 0x40, 0)]        // no commit
    public void It_is_believed_as_far_as_the_log_is_that_of_the_commit(long commonUntil, long begin, int parts)
    {
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        new ExpiryFile(files, StoreFileNames.Expiries, Identity, 0).Write(Known());
        Assert.Equal(parts, new ExpiryFile(files, StoreFileNames.Expiries, Identity, commonUntil).Read(begin).Count);
    }

    public void Dispose() => _folder.Dispose();

    private static ExpiryHistogram[] Known()
    {
        var first = new ExpiryHistogram(0x40, 0x1000, 1_000);
        first.AddLasting(7);
        first.AddDead(5);
        first.Add(9, 1_000 + 250);
        return [first, new ExpiryHistogram(0x1000, 0x3000, 2_000)];
    }

    // A store of records that live for an hour, of which the compactor knows all that has left memory.
    private async Task<long> FillAsync()
    {
        await using FasterStore store = await OpenAsync();
        await using (FasterSession session = store.StartSession())
        {
            session.TimeToLive = TimeSpan.FromHours(1);
            session.Fill(0, 40_000);
        }

        await store.CommitAsync();
        await _time.PassAsync(Look);
        await _time.PassAsync(0); // a check that began after the commit is over
        return store.Statistics.DiskBytes;
    }

    private async Task BeginAndLookAsync(FasterStore store)
    {
        await using FasterSession session = store.StartSession();
        session.TimeToLive = TimeSpan.FromHours(1);
        await _time.PassAsync(Look);
        await _time.PassAsync(0);
    }

    private Task<FasterStore> OpenAsync() =>
        GarbageStore.OpenAsync(_folder.Path, GarbageStore.Small with { TimeProvider = _time, ReadCacheFraction = 0 });
}
