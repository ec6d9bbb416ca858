using System.ComponentModel;

namespace Faster;

/// <summary>How the files of a log are read and written.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum IOMode
{
    /// <summary>By io_uring where the system allows it, otherwise by blocking calls.</summary>
    Auto,

    /// <summary>By blocking calls on the device's own threads.</summary>
    RandomAccess,

    /// <summary>By io_uring; opening fails where the system does not allow it, and says why.</summary>
    IoUring,
}
