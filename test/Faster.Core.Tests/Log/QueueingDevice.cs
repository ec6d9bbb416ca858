using Faster.Devices;
using Faster.Tests.Devices;

namespace Faster.Tests.Log;

/// <summary>
/// Gives queues of its own, whose requests end when the test says so; notes what each has asked for, and can spoil
/// blocks.
/// </summary>
internal sealed unsafe class QueueingDevice(Device inner) : PassingDevice(inner)
{
    /// <summary>Offset and length of each read, in the order in which they were begun.</summary>
    public List<(long Offset, int Length)> Reads { get; } = [];

    /// <summary>The bytes on the device that read back wrong.</summary>
    public HashSet<long> Spoiled { get; } = [];

    /// <summary>Whether what was begun comes back.</summary>
    public bool IsAnswering { get; set; }

    internal override IOQueue? TryOpenQueue() => new OwnQueue(this);

    private sealed class OwnQueue(QueueingDevice device) : IOQueue
    {
        private readonly Queue<IORequest> _inside = new();

        public override int Depth => 32;

        public override void Submit(ReadOnlySpan<IORequest> requests)
        {
            foreach (IORequest request in requests) Add(request);
        }

        public override void Add(IORequest request)
        {
            device.Reads.Add((request.Offset, request.Length));
            _inside.Enqueue(request);
        }

        public override void Flush() { }

        public override int Poll(Span<IORequest> completed)
        {
            int count = 0;
            while (device.IsAnswering && count < completed.Length && _inside.TryDequeue(out IORequest? request))
            {
                device.Submit([request]);
                Assert.Equal(1, device.Poll(completed.Slice(count++, 1)));
                foreach (long at in device.Spoiled)
                {
                    long offset = at - request.Offset;
                    if (offset >= 0 && offset < request.Length) request.Buffer[offset] ^= 1;
                }
            }

            return count;
        }

        public override bool Wait(TimeSpan timeout, int wanted = 1) => device.IsAnswering;

        public override void Wake() { }

        public override void Dispose() { }
    }
}
