using System.Buffers.Binary;
using System.Globalization;
using System.IO.Compression;

namespace Faster.Workload.Cells;

/// <summary>
/// Reads recorded traces. Their keys become 0, 1, … in the order of their first appearance, which preserves
/// how often and when each key is requested, but not its name. Files that end in .gz are decompressed.
/// </summary>
internal static class TraceFile
{
    /// <summary>Reads a trace.</summary>
    /// <returns>The requests in their order, and how many keys they name.</returns>
    /// <exception cref="InvalidDataException">The file holds no request, or is not of the format.</exception>
    public static (int[] Requests, int Keys) Read(string path, TraceFormat format)
    {
        using FileStream file = File.OpenRead(path);
        using Stream stream = path.EndsWith(".gz", StringComparison.OrdinalIgnoreCase)
            ? new GZipStream(file, CompressionMode.Decompress)
            : file;
        var numbers = new Dictionary<ulong, int>();
        var requests = new List<int>();
        foreach (ulong key in format == TraceFormat.Text ? Lines(stream, path) : Words(stream, path, format))
        {
            if (!numbers.TryGetValue(key, out int number))
                numbers.Add(key, number = numbers.Count);
            requests.Add(number);
        }

        if (requests.Count < KeyStream.ChunkLength)
        {
            throw new InvalidDataException(
                $"The trace '{path}' has {requests.Count} requests as {EnumNames.Of(format)}; it needs at least "
                + $"{KeyStream.ChunkLength}.");
        }

        return ([.. requests], numbers.Count);
    }

    private static IEnumerable<ulong> Words(Stream stream, string path, TraceFormat format)
    {
        byte[] word = new byte[format == TraceFormat.U64le ? sizeof(ulong) : sizeof(uint)];
        using var buffered = new BufferedStream(stream, 1 << 16);
        for (;;)
        {
            int read = buffered.ReadAtLeast(word, word.Length, throwOnEndOfStream: false);
            if (read == 0)
                yield break;
            if (read < word.Length)
                throw new InvalidDataException(
                    $"The trace '{path}' ends within a number of {word.Length} bytes: is it {EnumNames.Of(format)}?");
            yield return format switch
            {
                TraceFormat.U32le => BinaryPrimitives.ReadUInt32LittleEndian(word),
                TraceFormat.U32be => BinaryPrimitives.ReadUInt32BigEndian(word),
                _ => BinaryPrimitives.ReadUInt64LittleEndian(word),
            };
        }
    }

    private static IEnumerable<ulong> Lines(Stream stream, string path)
    {
        using var reader = new StreamReader(stream);
        int number = 0;
        while (reader.ReadLine() is { } line)
        {
            number++;
            if (!ulong.TryParse(line, NumberStyles.None, CultureInfo.InvariantCulture, out ulong key))
                throw new InvalidDataException($"Line {number} of the trace '{path}' is no number: '{line}'.");
            yield return key;
        }
    }
}
