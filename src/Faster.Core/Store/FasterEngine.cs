using Faster.Contracts;
using Faster.Store;

namespace Faster;

/// <summary>
/// The FASTER engine, for <see cref="StoreAttribute.Engine"/>: a hash index over a hybrid log, which is partly in
/// memory and partly on disk. The default.
/// </summary>
public sealed class FasterEngine : IEngine<FasterStore, FasterSession, StoreOptions>
{
    private FasterEngine()
    {
    }
}
