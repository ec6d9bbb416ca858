using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Tests.Devices;

namespace Faster.Tests.Log;

/// <summary>Passes everything on, and fails a test that rewrites a block that was written successfully.</summary>
internal sealed class RecordingDevice(Device inner) : PassingDevice(inner)
{
    private readonly HashSet<long> _written = [];

    /// <summary>The blocks that have been written.</summary>
    public IReadOnlyCollection<long> Written => _written;

    public override void Submit(ReadOnlySpan<IORequest> requests)
    {
        foreach (IORequest request in requests)
        {
            if (request.Kind == IOKind.Read) continue;
            for (int at = 0; at < request.Length; at += BlockFormat.BlockSize)
                Assert.DoesNotContain((request.Offset + at) / BlockFormat.BlockSize, _written);
        }

        base.Submit(requests);
    }

    public override int Poll(Span<IORequest> completed)
    {
        int count = base.Poll(completed);
        foreach (IORequest request in completed[..count])
        {
            if (request.Kind == IOKind.Read || request.Error is not null) continue;
            for (int at = 0; at < request.Length; at += BlockFormat.BlockSize)
                Assert.True(_written.Add((request.Offset + at) / BlockFormat.BlockSize), "A block was written twice.");
        }

        return count;
    }
}
