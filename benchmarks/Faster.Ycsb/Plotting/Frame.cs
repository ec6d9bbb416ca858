namespace Faster.Ycsb.Plotting;

/// <summary>Where a panel's axes lie on the page, and how values become places.</summary>
/// <param name="Left">The vertical axis.</param>
/// <param name="Top">The upper end of the vertical axis.</param>
/// <param name="Width">The length of the horizontal axis.</param>
/// <param name="Height">The length of the vertical axis.</param>
/// <param name="YEnd">The value at the upper end of the vertical axis.</param>
internal readonly record struct Frame(double Left, double Top, double Width, double Height, double YEnd)
{
    /// <summary>The right end of the horizontal axis.</summary>
    public double Right => Left + Width;

    /// <summary>The horizontal axis.</summary>
    public double Bottom => Top + Height;

    /// <summary>The height on the page of a value.</summary>
    public double Y(double value) => Bottom - (Height * Math.Clamp(value / YEnd, 0, 1));
}
