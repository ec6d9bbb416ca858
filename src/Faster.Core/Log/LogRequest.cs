using Faster.Devices;

namespace Faster.Log;

/// <summary>A request that knows what to do when the device has given it back.</summary>
internal abstract class LogRequest : IoRequest
{
    /// <summary>Called once on the pump's thread; must neither throw nor wait.</summary>
    public abstract void OnCompleted();
}
