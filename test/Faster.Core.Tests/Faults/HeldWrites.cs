using Faster.Devices;
using Faster.Tests.Devices;

namespace Faster.Tests.Faults;

/// <summary>A device whose writes can be kept under way for as long as a test wants, and then made to fail.</summary>
internal sealed class HeldWrites(Device inner) : PassingDevice(inner)
{
    private readonly Lock _lock = new();
    private readonly List<IORequest> _held = [];
    private readonly Queue<IORequest> _failed = new();
    private Func<IORequest, bool>? _holds;

    /// <summary>Keeps writes from now on: all, or those that a test chooses.</summary>
    /// <returns>
    /// Lets them go on when it is disposed of: a test that has failed shows why, where a store that waits for its
    /// writes would only show that it waits.
    /// </returns>
    public IDisposable Hold(Func<IORequest, bool>? which = null)
    {
        Volatile.Write(ref _holds, which ?? (static _ => true));
        return new Released(this);
    }

    /// <summary>Lets the writes that are held go on, and all later ones.</summary>
    public void Release()
    {
        lock (_lock)
        {
            _holds = null;
            foreach (IORequest request in _held) base.Submit([request]);
            _held.Clear();
        }

        Wake();
    }

    public void Fail()
    {
        lock (_lock)
        {
            _holds = null;
            foreach (IORequest request in _held)
            {
                request.Error = new StorageException("Failed by the test.") { MayRetry = true };
                _failed.Enqueue(request);
            }

            _held.Clear();
        }

        Wake();
    }

    public override void Submit(ReadOnlySpan<IORequest> requests)
    {
        foreach (IORequest request in requests)
        {
            lock (_lock)
            {
                if (request.Kind == IOKind.Write && _holds?.Invoke(request) == true)
                {
                    _held.Add(request);
                    continue;
                }
            }

            base.Submit([request]);
        }
    }

    public override int Poll(Span<IORequest> completed)
    {
        lock (_lock)
        {
            if (!completed.IsEmpty && _failed.TryDequeue(out IORequest? request))
            {
                completed[0] = request;
                return 1;
            }
        }

        return base.Poll(completed);
    }

    private sealed class Released(HeldWrites held) : IDisposable
    {
        public void Dispose() => held.Release();
    }
}
