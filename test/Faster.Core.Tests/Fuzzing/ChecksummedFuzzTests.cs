using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Checkpoints.Snapshots;
using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Devices.Segments;
using Faster.Tests.Log;
using Xunit.Abstractions;

namespace Faster.Tests.Fuzzing;

/// <summary>
/// Checkpoints' files, mutated, with the checksums of all blocks right again: each is read as its bytes say, or
/// damaged.
/// </summary>
public sealed unsafe class ChecksummedFuzzTests : IDisposable
{
    private const ulong Owner = 77;
    private const string Name = "snapshot.1";

    private readonly ITestOutputHelper _output;
    private readonly TemporaryFolder _folder = new();
    private readonly FolderFiles _files;

    public ChecksummedFuzzTests(ITestOutputHelper output)
    {
        _output = output;
        var calls = new FakeFileCalls { OnSync = static () => 0 };
        _files = FolderFiles.OpenFolder(_folder.Path, unbuffered: false, calls);
    }

    private string FilePath => Path.Combine(_folder.Path, Name);

    public void Dispose()
    {
        _files.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public Task Sealed_files()
    {
        byte[] content = new byte[6000];
        new Random(1).NextBytes(content);
        FileReference reference = Write(Name, content);
        byte[] original = File.ReadAllBytes(FilePath);
        return Fuzz.RunAsync(2_000, _output, random =>
        {
            byte[] bytes = [.. original];
            for (int changes = random.Next(1, 3); changes > 0; changes--)
            {
                // A half of the changes hits the header, or the zeros that fill the last sector.
                int blocks = bytes.Length / BlockFormat.BlockSize;
                int block = random.Next(4) switch { 0 => 0, 1 => blocks - 1, _ => random.Next(blocks) };
                int bytesOf = block == 0
                    && random.Next(2) == 0 ? ChecksummedFileHeader.SizeInBytes : BlockFormat.Payload;
                Mutator.MutateInPlace(bytes.AsSpan(block * BlockFormat.BlockSize, bytesOf), random);
            }

            if (random.Next(8) == 0) bytes = bytes[..random.Next(bytes.Length)];
            NewChecksums.Blocks(bytes, reference.Identity);
            File.WriteAllBytes(FilePath, bytes);
            long length = random.Next(8) == 0 ? random.Next(-4096, 20_000) : reference.Bytes;
            using var reader = new ChecksummedFileReader(
                _files, Name, ChecksummedFileKind.Snapshot, Owner, reference.Identity, length, bufferBytes: 4096);
            byte[] read = new byte[content.Length];
            reader.Read(read);
            reader.ReadToEnd();
            byte[] payload = PayloadOf(bytes)[ChecksummedFileHeader.SizeInBytes..];
            Assert.Equal(payload[..read.Length], read);
            Assert.Equal(-1, payload.AsSpan(read.Length).IndexOfAnyExcept((byte)0)); // what fills the last sector
        });
    }

    [Theory]
    [InlineData(0)] // the whole one
    [InlineData(1)]
    [InlineData(2)]
    public Task Snapshots_and_increments(int mutated)
    {
        using var log = new PumpedLog(new MemoryDevice(), residentPages: 16);
        (FileReference[] sound, long end) = WriteSnapshots(log);
        byte[][] contents = [.. sound.Select(ContentOf)];
        return Fuzz.RunAsync(500, _output, random =>
        {
            byte[] bytes = [.. contents[mutated]];

            // A half of the changes hits the head and the first stretch.
            int within = random.Next(2) == 0 ? bytes.Length : Math.Min(bytes.Length, 48);
            Mutator.MutateInPlace(bytes.AsSpan(0, within), random);
            if (random.Next(4) == 0) bytes = Mutator.Mutate(bytes, random);
            FileReference[] snapshots = [.. sound];
            snapshots[mutated] = Write("mutated", bytes);
            AssertReadAlike(snapshots, end);
        });
    }

    // By the reader of recoveries and by that of scans: both take them, and alike, or one of them refuses them.
    private void AssertReadAlike(FileReference[] snapshots, long end)
    {
        using var loaded = new PumpedLog(new MemoryDevice(), residentPages: 16);
        loaded.Log.Restore(64, 0, end, 64);
        DamagedDataException? refused = null;
        try
        {
            new SnapshotReader(_files, Owner, loaded.Log).Load(snapshots, 64, end, default);
        }
        catch (DamagedDataException error)
        {
            refused = error;
        }

        var snapshotFiles = new SnapshotFileRefs(_files, Owner);
        snapshotFiles.Keep(snapshots);
        using SnapshotPages pages = snapshotFiles.TryOpen(snapshots, 64, end, PumpedLog.PageBits)!;
        byte[] page = new byte[1 << PumpedLog.PageBits];
        fixed (byte* bytes = page)
        {
            for (long from = 64, to; from < end; from = to)
            {
                to = Math.Min(((from >> PumpedLog.PageBits) + 1) << PumpedLog.PageBits, end);
                pages.Load(from, to, bytes);
                var read = new ReadOnlySpan<byte>(bytes, (int)(to - from));
                Assert.True(
                    refused is not null || read.SequenceEqual(new(loaded.Log.Pointer(from), read.Length)),
                    $"The page at {from} is another.");
            }
        }

        if (refused is not null) throw refused;
    }

    private (FileReference[] Snapshots, long End) WriteSnapshots(PumpedLog log)
    {
        var writer = new SnapshotWriter(log.Epochs, log.Log, log.Storage, _files, Owner, 8192);
        for (int key = 0; key < 30; key++) log.Append(key, 200);
        long first = log.Log.PadTail();
        FileReference whole = writer.Write("s1", 64, first, default);
        for (int key = 0; key < 5; key++) log.Append(key, 200, version: 2);
        long second = log.Log.PadTail();
        FileReference increment = writer.WriteIncrement("s2", 64, first, second, [2], default);
        for (int key = 0; key < 5; key++) log.Append(key, 200, version: 3);
        long end = log.Log.PadTail();
        return ([whole, increment, writer.WriteIncrement("s3", 64, second, end, [3], default)], end);
    }

    private byte[] ContentOf(FileReference snapshot)
    {
        using var reader = new ChecksummedFileReader(
            _files, snapshot.FileName, ChecksummedFileKind.Snapshot, Owner, snapshot.Identity, snapshot.Bytes);
        byte[] content = new byte[(int)reader.Remaining];
        reader.Read(content);
        int used = content.AsSpan().TrimEnd((byte)0).Length;
        return content[..Math.Min((used + 24) & ~7, content.Length)]; // with the stretch of nothing that ends it
    }

    private FileReference Write(string name, byte[] content)
    {
        using var writer = new ChecksummedFileWriter(_files, name, ChecksummedFileKind.Snapshot, Owner, 8192);
        writer.Write(content);
        return new FileReference(name, writer.Identity, writer.Complete());
    }

    private static byte[] PayloadOf(byte[] blocks) =>
        [.. blocks.Chunk(BlockFormat.BlockSize).SelectMany(static block => block[..BlockFormat.Payload])];
}
