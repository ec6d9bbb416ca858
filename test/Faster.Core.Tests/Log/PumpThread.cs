namespace Faster.Tests.Log;

/// <summary>Takes a log's completions while another thread waits for them, as the store's I/O thread does.</summary>
internal sealed class PumpThread : IDisposable
{
    private readonly Thread _thread;
    private volatile bool _stopping;

    public PumpThread(PumpedLog log)
    {
        _thread = new Thread(() =>
        {
            while (!_stopping)
            {
                if (!log.TakeTurn()) log.Storage.Device.Wait(TimeSpan.FromMilliseconds(10));
            }
        });
        _thread.Start();
    }

    public void Dispose()
    {
        _stopping = true;
        _thread.Join();
    }
}
