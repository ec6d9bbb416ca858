using System.ComponentModel;
using System.Globalization;

namespace Faster;

/// <summary>Converts text to sizes for configuration binders, and sizes to text without rounding.</summary>
internal sealed class ByteSizeConverter : TypeConverter
{
    /// <inheritdoc/>
    public override bool CanConvertFrom(ITypeDescriptorContext? context, Type sourceType) =>
        sourceType == typeof(string) || base.CanConvertFrom(context, sourceType);

    /// <inheritdoc/>
    public override object? ConvertFrom(ITypeDescriptorContext? context, CultureInfo? culture, object value) =>
        value is string text ? ByteSize.Parse(text) : base.ConvertFrom(context, culture, value);

    /// <inheritdoc/>
    public override object? ConvertTo(
        ITypeDescriptorContext? context, CultureInfo? culture, object? value, Type destinationType) =>
        value is ByteSize size && destinationType == typeof(string)
            ? size.Bytes.ToString(CultureInfo.InvariantCulture)
            : base.ConvertTo(context, culture, value, destinationType);
}
