using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices.Blocks;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Large;
using Xunit.Abstractions;

namespace Faster.Tests.Fuzzing;

/// <summary>
/// Stores on disk whose log is mutated, with the checksums of all blocks right again, or whose segments are cut, lost,
/// swapped: an opening, each read and a scan end, with a result or a typed error.
/// </summary>
public sealed class LogFuzzTests(ITestOutputHelper output) : IDisposable
{
    private const int Keys = 250;         // that are read
    private const int OfSegments = 8_000; // of which as many are read

    private static readonly StoreOptions Options = new()
    {
        MemoryBudget = StoreOptions.MinMemoryBudget, PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.MiB(1),
        ExpectedKeys = Keys, ReadCacheFraction = 0,
    };

    private readonly TemporaryFolder _folder = new();

    private string Original => Path.Combine(_folder.Path, "original");

    private string Mutated => Path.Combine(_folder.Path, "mutated");

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)] // keys and values of any size, large ones, and some that expire
    public async Task Logs(bool ofBytes)
    {
        await WriteAsync(Options, ofBytes);
        byte[] log = File.ReadAllBytes(Path.Combine(Original, "log.000000000000"));
        byte[] meta = File.ReadAllBytes(Path.Combine(Original, StoreMetadata.FileName));
        ulong identity = StoreMetadata.Decode("here", meta).Identity;
        int used = log.AsSpan().TrimEnd((byte)0).Length / BlockFormat.BlockSize * BlockFormat.BlockSize;
        await Fuzz.RunAsync(
            60, output,
            async random =>
            {
                byte[] bytes = [.. log];
                for (int changes = random.Next(1, 4); changes > 0; changes--)
                    NewChecksums.MutatePayload(bytes, used, random);
                Copy(Original, Mutated);
                File.WriteAllBytes(Path.Combine(Mutated, "log.000000000000"), NewChecksums.Blocks(bytes, identity));
                await UseAsync(Options, ofBytes);
            },
            IsTyped);
    }

    [Fact]
    public async Task Segments()
    {
        StoreOptions small = Options with { SegmentSize = ByteSize.KiB(64) };
        await WriteAsync(small, ofBytes: false, OfSegments);
        string[] segments = [.. Directory.EnumerateFiles(Original, "log.*").Select(path => Path.GetFileName(path)!)];
        Assert.True(segments.Length > 2);
        await Fuzz.RunAsync(
            20, output,
            async random =>
            {
                Copy(Original, Mutated);
                string path = Path.Combine(Mutated, segments[random.Next(segments.Length)]);
                string other = Path.Combine(Mutated, segments[random.Next(segments.Length)]);
                byte[] bytes = File.ReadAllBytes(path);
                switch (random.Next(6))
                {
                    case 0: File.Delete(path); break;
                    case 1: File.WriteAllBytes(path, bytes[..random.Next(bytes.Length)]); break;
                    case 2: File.Move(path, other, overwrite: true); break;
                    case 3: File.WriteAllBytes(path, [.. bytes, .. bytes]); break; // what follows belongs to no record
                    case 4: File.WriteAllBytes(other, bytes); break;
                    default: File.Move(path, path + "0"); break;
                }

                Assert.Equal(Keys, await UseAsync(small, ofBytes: false, OfSegments / Keys)); // or a typed error
            },
            IsTyped);
    }

    private static bool IsTyped(Exception error) => error is FasterException
        || (error is AggregateException several && several.InnerExceptions.All(IsTyped));

    // Reads every key and scans; throws the first typed error when all has been tried.
    private async Task<int> UseAsync(StoreOptions options, bool ofBytes, int step = 1)
    {
        await using FasterStore store = await FasterStore.RecoverAsync(
            Mutated, options, ofBytes ? BytesOperations.Schema : CounterOperations.Schema, null, default);
        Exception? first = null;
        int right = 0;
        await using (FasterSession session = store.StartSession())
        {
            for (int key = 0; key < Keys * step; key += step)
            {
                try
                {
                    if (ofBytes) _ = session.GetBytes(key);
                    else if (session.Get(key) == key * 3) right++;
                }
                catch (Exception error) when (IsTyped(error))
                {
                    first ??= error;
                }
            }
        }

        try
        {
            await foreach (int _ in store.Analytics.ScanAsync(
                null, static record => record.Key.Length + (record.IsTombstone ? 0 : record.Value.Length))) { }
        }
        catch (Exception error) when (IsTyped(error))
        {
            first ??= error;
        }

        return first is null ? right : throw new DamagedDataException("It was found.", first);
    }

    private async Task WriteAsync(StoreOptions options, bool ofBytes, int keys = Keys)
    {
        await using FasterStore store = await FasterStore.OpenAsync(
            Original, options, ofBytes ? BytesOperations.Schema : CounterOperations.Schema, default);
        await using FasterSession session = store.StartSession();
        for (int key = 0; key < keys; key++)
        {
            session.TimeToLive = TimeSpan.FromDays(key % 5 == 4 ? 10_000 : 0);
            if (!ofBytes) session.Put(key, key * 3);
            else session.PutBytes(key, LargeStore.Value(key % 50 == 49 ? 9_000 : key % 70, key));
        }

        session.TimeToLive = TimeSpan.Zero;
        for (int key = 0; key < Keys && ofBytes; key += 7) session.Append(key, LargeStore.Value(20, key));
        _ = await store.CommitAsync(CommitKind.FoldOver);
    }

    private static void Copy(string from, string to)
    {
        if (Directory.Exists(to)) Directory.Delete(to, recursive: true);
        Directory.CreateDirectory(to);
        foreach (string file in Directory.EnumerateFiles(from))
            File.Copy(file, Path.Combine(to, Path.GetFileName(file)));
    }
}
