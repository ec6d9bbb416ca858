using System.Buffers.Binary;
using System.IO.Compression;
using Faster.Workload.Cells;

namespace Faster.Ycsb.Tests.Cells;

public sealed class TraceFileTests : IDisposable
{
    private static readonly uint[] Requests = [.. Enumerable.Range(0, 2000).Select(i => 0xF0000000 + (uint)(i % 7))];

    private readonly string _folder = Directory.CreateTempSubdirectory("ycsb-trace-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("U32le", "trace")]
    [InlineData("U32be", "trace")]
    [InlineData("U64le", "trace")]
    [InlineData("Text", "trace")]
    [InlineData("U32le", "trace.gz")]
    public void Keys_are_numbered_as_they_appear(string name, string file)
    {
        TraceFormat format = Enum.Parse<TraceFormat>(name);
        string path = Path.Combine(_folder, file);
        using (FileStream created = File.Create(path))
        {
            using Stream packed = file.EndsWith(".gz", StringComparison.Ordinal)
                ? new GZipStream(created, CompressionLevel.Fastest)
                : created;
            foreach (uint key in Requests)
                packed.Write(Encode(key, format));
        }

        (int[] requests, int keys) = TraceFile.Read(path, format);
        Assert.Equal(7, keys);
        Assert.Equal(Enumerable.Range(0, 2000).Select(i => i % 7), requests);
    }

    [Theory]
    [InlineData("U32le", "ends within")]
    [InlineData("Text", "Line 1")]
    public void A_file_that_is_no_trace_is_refused(string format, string reason)
    {
        string path = Path.Combine(_folder, "no-trace");
        File.WriteAllText(path, "neither");
        InvalidDataException e = Assert.Throws<InvalidDataException>(
            () => TraceFile.Read(path, Enum.Parse<TraceFormat>(format)));
        Assert.Contains(reason, e.Message, StringComparison.Ordinal);
        Assert.Contains(path, e.Message, StringComparison.Ordinal);
    }

    private static byte[] Encode(uint key, TraceFormat format)
    {
        byte[] bytes = new byte[format == TraceFormat.U64le ? 8 : 4];
        switch (format)
        {
            case TraceFormat.U32be:
                BinaryPrimitives.WriteUInt32BigEndian(bytes, key);
                return bytes;
            case TraceFormat.Text:
                return System.Text.Encoding.ASCII.GetBytes($"{key}\n");
            default:
                BinaryPrimitives.WriteUInt32LittleEndian(bytes, key);
                return bytes;
        }
    }
}
